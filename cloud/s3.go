package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

func init() {
	store.Register(s3blob.Scheme, openS3)
	log.SetOutput(io.Discard) // only the SDKs log, and errors repeat it
}

// openS3 opens a bucket by the SDK's environment, and gocloud's parameters in the query. With a custom endpoint, the bucket's name is part
// of the path, as most servers require, unless the query says otherwise.
func openS3(ctx context.Context, name, query string) (store.Bucket, error) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	own := q.Has("endpoint") || os.Getenv("AWS_ENDPOINT_URL_S3") != "" || os.Getenv("AWS_ENDPOINT_URL") != ""
	if own && !q.Has("use_path_style") && !q.Has("s3ForcePathStyle") {
		q.Set("use_path_style", "true")
	}
	opener := new(s3blob.URLOpener)
	var b *blob.Bucket
	silently(func() {
		b, err = opener.OpenBucketURL(ctx, &url.URL{Scheme: s3blob.Scheme, Host: name, RawQuery: q.Encode()})
	})
	if err != nil {
		return nil, err
	}
	var client *s3.Client
	if !b.As(&client) {
		return nil, errUnknown
	}
	client = s3.New(client.Options(), func(o *s3.Options) {
		o.Logger = logging.Nop{}
		o.DisableLogOutputChecksumValidationSkipped = true // or they are written to the program's standard error
		o.Retryer = retryerS3(o.RetryMode)
	})
	of := client.Options().Credentials
	_, err = userS3(ctx, of)
	if err != nil {
		return nil, err
	}
	who := func() string { // a role's key changes
		who, err := userS3(ctx, of)
		if err != nil {
			return "the AWS credentials"
		}
		return who
	}
	b, err = s3blob.OpenBucket(ctx, client, name, &opener.Options)
	if err != nil {
		return nil, err
	}
	return &bucket{blob: b, kind: ofS3, name: name, who: who}, nil
}

// retryerS3 bounds the tries of a request in the mode that AWS_RETRY_MODE, or the user's configuration, sets.
func retryerS3(mode aws.RetryMode) aws.Retryer {
	if mode == aws.RetryModeAdaptive {
		return retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) { o.StandardOptions = append(o.StandardOptions, patientS3) })
	}
	return retry.NewStandard(patientS3)
}

// patientS3 bounds the tries of a request.
func patientS3(o *retry.StandardOptions) {
	o.MaxAttempts = attempts
	o.MaxBackoff = maxDelay
	o.Retryables = slices.Insert(o.Retryables, 0, retry.IsErrorRetryable(retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		if unreachable(err) != nil {
			return aws.FalseTernary
		}
		return aws.UnknownTernary
	})))
}

// keyID is the form of an access key, which a secret does not have, should the two be swapped. (IAM User Guide, "IAM identifiers")
var keyID = regexp.MustCompile("^A[A-Z0-9]{15,}$")

// userS3 fetches the credentials, which the provider caches, and names them.
func userS3(ctx context.Context, of aws.CredentialsProvider) (string, error) {
	if of == nil || aws.IsCredentialsProvider(of, aws.AnonymousCredentials{}) {
		return nobody, nil
	}
	c, err := of.Retrieve(ctx)
	if err != nil {
		return "", fault.New(fault.Resource, "no AWS credentials: %s", text.Quote(text.Shorten(err.Error()))).WithHint("%s", ofS3.hint+ofS3.public)
	}
	if id := c.AccessKeyID; keyID.MatchString(id) {
		return fmt.Sprintf("the AWS access key %s…%s (%s)", id[:4], id[len(id)-4:], c.Source), nil
	}
	return fmt.Sprintf("the AWS credentials (%s)", c.Source), nil
}

// silently runs open, which opens a bucket: the SDK's credentials logger writes warnings to os.Stderr as it is then, and has no setting in
// gocloud.
func silently(open func()) {
	silencing.Lock()
	defer silencing.Unlock()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil { // and the logger keeps it
		stderr := os.Stderr
		os.Stderr = null
		defer func() { os.Stderr = stderr }()
	}
	open()
}

// silencing is held while os.Stderr is another file.
var silencing sync.Mutex

// errUnknown means that a driver passed a value of an unexpected type.
var errUnknown = errors.New("gocloud's driver has unexpected types")

func hasCode(codes map[string]struct{}, a answer) bool {
	_, has := codes[a.code]
	return has
}

// ofS3 makes reads and writes conditional on entity tags, by If-Match.
var ofS3 = kind{
	readOnly: func(as func(any) bool, version string) error {
		var in *s3.GetObjectInput
		if !as(&in) {
			return errUnknown
		}
		in.IfMatch = aws.String(version)
		return nil
	},
	readVersion: func(r *blob.Reader) string {
		var out s3.GetObjectOutput
		if !r.As(&out) {
			return ""
		}
		return aws.ToString(out.ETag)
	},
	statVersion: func(a *blob.Attributes) string { return a.ETag },
	listVersion: func(o *blob.ListObject) string {
		var out types.Object
		if !o.As(&out) {
			return ""
		}
		return aws.ToString(out.ETag)
	},
	writeOver: func(as func(any) bool, version string) error {
		var in *transfermanager.UploadObjectInput
		if !as(&in) {
			return errUnknown
		}
		in.IfMatch = aws.String(version)
		return nil
	},
	answer: func(err error) (a answer) {
		var response *awshttp.ResponseError
		if errors.As(err, &response) {
			a.status = response.HTTPStatusCode()
		}
		var api smithy.APIError
		if errors.As(err, &api) {
			a.code = api.ErrorCode()
			a.message = api.ErrorMessage()
		}
		if slices.Contains([]string{"ExpiredToken", "InvalidToken", "InvalidAccessKeyId"}, a.code) { // the status may be another
			a.status = http.StatusForbidden
		}
		if hasCode(retry.DefaultRetryableErrorCodes, a) || hasCode(retry.DefaultThrottleErrorCodes, a) { // as RequestTimeout, with 400
			a.status = http.StatusServiceUnavailable
		}
		return a
	},
	container: "bucket",
	hint:      "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
	public:    "; for a public object, append ?anonymous=true to its name",
	moved:     "set AWS_REGION, or append ?region=... to the name",
}
