package cloud

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
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
	if !anonymousGS(q) {
		if err := authorizeGS(ctx, opener, q.Get("universe_domain")); err != nil {
			return nil, err
		}
	}
	b, err := opener.OpenBucketURL(ctx, &url.URL{Scheme: gcsblob.Scheme, Host: name, RawQuery: query})
	if err != nil {
		return nil, err
	}
	return &bucket{b, ofGS}, nil
}

// anonymousGS reports whether to send no credentials: if the query requests it, or to an emulator.
func anonymousGS(q url.Values) bool {
	emulator := os.Getenv("STORAGE_EMULATOR_HOST") != "" || os.Getenv("STORAGE_EMULATOR_HOST_GRPC") != ""
	return emulator || q.Get("access_id") == "-" || q.Get("anonymous") == "true"
}

// authorizeGS sets an opener's default credentials; domain is that of a universe other than Google's, or "".
func authorizeGS(ctx context.Context, opener *gcsblob.URLOpener, domain string) error {
	credentials, err := gcp.DefaultCredentialsWithParams(ctx, google.CredentialsParams{UniverseDomain: domain})
	switch {
	case err != nil && strings.Contains(err.Error(), "could not find default credentials"):
		return fault.New(fault.Resource, "no Google Cloud credentials found").
			WithHint("run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS=key.json; for a public object, append ?anonymous=true to its name")
	case err != nil:
		return err
	}
	if domain, err = credentials.GetUniverseDomain(); err != nil {
		return err
	}
	opener.TokenSource = gcp.CredentialsTokenSource(credentials)
	opener.Options.ClientOptions = []option.ClientOption{option.WithUniverseDomain(domain)}
	opener.Client, err = gcp.NewHTTPClient(gcp.DefaultTransport(), opener.TokenSource)
	return err
}

// ofGS makes reads and writes conditional on generations.
var ofGS = kind{
	readOnly: func(as func(any) bool, version string) error {
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
	},
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
	writeOver: func(as func(any) bool, version string) error {
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
	},
	condition: func(b *blob.Bucket, err error) bool {
		var answer *googleapi.Error
		return b.ErrorAs(err, &answer) && answer.Code == http.StatusPreconditionFailed
	},
	reason: func(b *blob.Bucket, err error) string {
		var answer *googleapi.Error
		if !b.ErrorAs(err, &answer) {
			return ""
		}
		return answer.Message
	},
}
