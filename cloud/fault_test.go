package cloud

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/store"
)

// TestUnreachable: an error of a connection names the host, also behind a proxy. A timeout is final only until an object was found.
func TestUnreachable(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}
	dial := func(at net.Addr, err error) error { return &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: err} }
	proxied := func(err error) error { return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: err} }
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for _, c := range []struct {
		err   error
		want  string
		final bool
	}{
		{dial(nil, &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}), `cannot find the host h`, true},
		{dial(nil, &net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true}), `cannot find the host h: i/o timeout`, true},
		{dial(nil, &net.DNSError{Err: "server misbehaving", Name: "h", IsTemporary: true}), `cannot find the host h: server misbehaving`, false},
		{dial(at, os.ErrDeadlineExceeded), `10.0.0.1:443 does not respond`, true},
		{dial(at, refused), `cannot connect to 10.0.0.1:443: connection refused`, false},
		{proxied(dial(at, refused)), `cannot connect to 10.0.0.1:443: connection refused`, false},
		{proxied(dial(at, os.ErrDeadlineExceeded)), `10.0.0.1:443 does not respond`, true},
		{proxied(os.ErrDeadlineExceeded), `the proxy does not respond`, true},
		{proxied(errors.New("unknown")), `cannot connect: unknown`, false},
	} {
		for _, found := range []bool{false, true} {
			b := &bucket{kind: ofS3}
			b.exists.Store(found)
			err := b.fault(fmt.Errorf("request: %w", &url.Error{Op: "Get", URL: "https://h", Err: c.err}), false)
			if got := errors.As(err, new(*fault.Error)); err.Error() != c.want || got != (c.final && !found) {
				t.Errorf("%v, found %t: %q, final %t; expected %q", c.err, found, err, got, c.want)
			}
		}
	}
	if err := unreachable(&net.OpError{Op: "read", Err: refused}); err != nil {
		t.Error(err)
	}
}

// TestFinal: a request that the store rejects is not sent again, an upload least of all, unless another try may succeed.
func TestFinal(t *testing.T) {
	for _, c := range []struct {
		status, puts int
		code, says   string
	}{
		{400, 1, "InvalidRequest", "InvalidRequest: why"},
		{404, 5, "NoSuchUpload", "NoSuchUpload: why"},
		{405, 1, "MethodNotAllowed", "MethodNotAllowed: why"},
		{501, 1, "NotImplemented", "NotImplemented: why"},
	} {
		var puts atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.Method {
			case http.MethodPut:
				puts.Add(1)
				w.WriteHeader(c.status)
				fmt.Fprintf(w, "<Error><Code>%s</Code><Message>why</Message></Error>", c.code)
			case http.MethodHead:
				w.WriteHeader(http.StatusNotFound)
			default:
				fmt.Fprint(w, "<ListBucketResult/>")
			}
		}))
		t.Cleanup(server.Close)
		to, err := store.Locate(name.Parse("s3://bucket/x.npy?region=eu-west-1&anonymous=true&endpoint=" + server.URL))
		if err != nil {
			t.Fatal(err)
		}
		err = to.Put(t.Context(), strings.NewReader("content"), 7, "token", false)
		if err == nil || !strings.HasSuffix(err.Error(), c.says) || puts.Load() != int64(c.puts) {
			t.Errorf("%d %s: %v after %d uploads, expected %q after %d", c.status, c.code, err, puts.Load(), c.says, c.puts)
		}
	}
	slow := &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusBadRequest}},
		Err:      &smithy.GenericAPIError{Code: "RequestTimeout"},
	}}
	if err := (&bucket{kind: ofS3}).fault(slow, false); err.Error() != "RequestTimeout" || errors.As(err, new(*fault.Error)) {
		t.Errorf("an upload that was too slow: %#v", err)
	}
}

// TestWho: credentials are named without their secrets, by those that are used.
func TestWho(t *testing.T) {
	const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	for id, want := range map[string]string{
		"AKIAIOSFODNN7EXAMPLE": "the AWS access key AKIA…MPLE (env)",
		secret:                 "the AWS credentials (env)", // swapped
	} {
		who, err := userS3(t.Context(), aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, Source: "env"}, nil
		}))
		if err != nil || who != want {
			t.Errorf("%q, %v; expected %q", who, err, want)
		}
	}
	t.Setenv("AZURE_STORAGE_KEY", "a2V5")
	for _, variable := range []string{"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGEBLOB_CONNECTIONSTRING"} {
		t.Setenv(variable, "")
	}
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "token")
	if who := azureUser(); who != "the credentials in AZURE_STORAGE_SAS_TOKEN" {
		t.Errorf("the key without an account: %q", who)
	}
	t.Setenv("AZURE_STORAGE_ACCOUNT", "account")
	if who := azureUser(); who != "the credentials in AZURE_STORAGE_KEY" {
		t.Error(who)
	}
}

// TestDenied: who sends no credentials is not told to send none.
func TestDenied(t *testing.T) {
	for who, want := range map[string]string{
		nobody:            "omit ?anonymous=true, and " + ofS3.hint,
		"the credentials": ofS3.hint + ofS3.public,
	} {
		b := &bucket{kind: ofS3, who: func() string { return who }}
		var f *fault.Error
		if err := b.denied(answer{}); !errors.As(err, &f) || f.Hint != want {
			t.Errorf("%s: %+v", who, f)
		}
	}
}

// TestRetryMode: the SDK's setting of the mode has effect, and its tries are bounded.
func TestRetryMode(t *testing.T) {
	for _, mode := range []aws.RetryMode{aws.RetryModeStandard, aws.RetryModeAdaptive} {
		r := retryerS3(mode)
		if _, adaptive := r.(*retry.AdaptiveMode); adaptive != (mode == aws.RetryModeAdaptive) || r.MaxAttempts() != attempts {
			t.Errorf("%s: %T with %d attempts", mode, r, r.MaxAttempts())
		}
	}
}
