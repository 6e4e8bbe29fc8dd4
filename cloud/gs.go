package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

func init() { store.Register(gcsblob.Scheme, openGS) }

// openGS opens a bucket with Google's default credentials, and gocloud's parameters in the query. It bypasses gocloud's own opener, which
// without credentials prints a message to standard output and continues with an invalid key.
func openGS(ctx context.Context, name, query string) (store.Bucket, error) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	opener := &gcsblob.URLOpener{Client: gcp.NewAnonymousHTTPClient(gcp.DefaultTransport())}
	who := nobody
	if !anonymousGS(q) {
		who, err = authorizeGS(ctx, opener, q.Get("universe_domain"))
		if err != nil {
			return nil, err
		}
	}
	b, err := opener.OpenBucketURL(ctx, &url.URL{Scheme: gcsblob.Scheme, Host: name, RawQuery: query})
	if err != nil {
		return nil, err
	}
	var client *storage.Client
	if !b.As(&client) {
		return nil, errUnknown
	}
	client.SetRetry(storage.WithMaxAttempts(attempts), storage.WithBackoff(gax.Backoff{Initial: firstDelay, Max: maxDelay, Multiplier: 2}),
		storage.WithErrorFunc(func(err error) bool { return unreachable(err) == nil && storage.ShouldRetry(err) }))
	return &bucket{blob: b, kind: ofGS, name: name, who: func() string { return who }}, nil
}

// anonymousGS reports whether to send no credentials: if the query requests it, or to an emulator.
func anonymousGS(q url.Values) bool {
	emulator := os.Getenv("STORAGE_EMULATOR_HOST") != "" || os.Getenv("STORAGE_EMULATOR_HOST_GRPC") != ""
	return emulator || q.Get("access_id") == "-" || q.Get("anonymous") == "true"
}

// authorizeGS sets an opener's default credentials, and names them; domain is that of a universe other than Google's, or "".
func authorizeGS(ctx context.Context, opener *gcsblob.URLOpener, domain string) (who string, err error) {
	credentials, domain, err := credentialsGS(ctx, domain)
	if err != nil {
		if strings.Contains(err.Error(), "could not find default credentials") {
			return "", fault.New(fault.Resource, "no Google Cloud credentials found").WithHint("%s", ofGS.hint+ofGS.public)
		}
		if cause := unreachable(err); cause != nil {
			err = cause
		}
		return "", fault.New(fault.Resource, "no Google Cloud credentials: %s", text.Quote(text.Shorten(err.Error()))).WithHint("%s", ofGS.hint+ofGS.public)
	}
	opener.TokenSource = gcp.CredentialsTokenSource(credentials)
	opener.Options.ClientOptions = []option.ClientOption{option.WithUniverseDomain(domain)}
	opener.Client, err = gcp.NewHTTPClient(gcp.DefaultTransport(), opener.TokenSource)
	return userGS(credentials), err
}

// The longest times to wait, because the SDK waits forever for a machine's metadata server: for its first answer, for its token, which a
// new pod of Kubernetes may not get at once, and for that of a file, which may name a slow command.
const (
	maxFind      = 4 * time.Second
	maxToken     = 30 * time.Second
	maxFileToken = time.Minute
)

// credentialsGS finds the default credentials, their token, which they cache, and their domain.
func credentialsGS(ctx context.Context, domain string) (*google.Credentials, string, error) {
	credentials, err := within(maxFind, func() (*google.Credentials, error) {
		return gcp.DefaultCredentialsWithParams(ctx, google.CredentialsParams{UniverseDomain: domain})
	})
	if err != nil {
		return nil, "", err
	}
	limit := maxToken
	if credentials.JSON != nil {
		limit = maxFileToken
	}
	domain, err = within(limit, func() (string, error) {
		if _, err := credentials.TokenSource.Token(); err != nil {
			return "", err
		}
		return credentials.GetUniverseDomain()
	})
	return credentials, domain, err
}

// within returns what f returns, or an error if it takes longer.
func within[T any](limit time.Duration, f func() (T, error)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(limit):
		return value, fmt.Errorf("no token received for %v", limit)
	}
}

// userGS names credentials.
func userGS(of *google.Credentials) string {
	var file struct {
		Email string `json:"client_email"`
		Type  string `json:"type"`
	}
	if err := json.Unmarshal(of.JSON, &file); err != nil {
		return "this machine's Google service account"
	}
	if file.Email != "" {
		return "the Google account " + text.Quoted(file.Email)
	}
	return "Google's default credentials (" + text.Quote(file.Type) + ")"
}

// ifGeneration makes a read or a write conditional on a generation.
func ifGeneration(as func(any) bool, version string) error {
	generation, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return err
	}
	var o **storage.ObjectHandle
	if !as(&o) {
		return errUnknown
	}
	*o = (*o).If(storage.Conditions{GenerationMatch: generation})
	return nil
}

// ofGS makes reads and writes conditional on generations.
var ofGS = kind{
	readOnly: ifGeneration,
	readVersion: func(r *blob.Reader) string {
		var raw *storage.Reader
		if !r.As(&raw) {
			return ""
		}
		return strconv.FormatInt(raw.Attrs.Generation, 10)
	},
	statVersion: func(a *blob.Attributes) string {
		var raw storage.ObjectAttrs
		if !a.As(&raw) {
			return ""
		}
		return strconv.FormatInt(raw.Generation, 10)
	},
	listVersion: func(o *blob.ListObject) string {
		var raw storage.ObjectAttrs
		if !o.As(&raw) {
			return ""
		}
		return strconv.FormatInt(raw.Generation, 10)
	},
	writeOver: ifGeneration,
	answer: func(err error) answer {
		var response *googleapi.Error
		if errors.As(err, &response) {
			return answer{status: response.Code, message: response.Message}
		}
		if errors.Is(err, storage.ErrObjectNotExist) || errors.Is(err, storage.ErrBucketNotExist) {
			return answer{status: http.StatusNotFound}
		}
		return answer{}
	},
	container: "bucket",
	hint:      "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS=key.json",
	public:    "; for a public object, append ?anonymous=true to its name",
}
