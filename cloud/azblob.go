package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azblobblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
)

func init() { store.Register(azureblob.Scheme, openAzure) }

// openAzure opens a container by gocloud's environment variables, and its parameters in the query.
func openAzure(ctx context.Context, name, query string) (store.Bucket, error) {
	b, err := blob.OpenBucket(ctx, (&url.URL{Scheme: azureblob.Scheme, Host: name, RawQuery: query}).String())
	if err != nil {
		if strings.Contains(err.Error(), "AccountName is required") {
			return nil, fault.New(fault.Resource, "no storage account is named").WithHint("%s", ofAzure.hint)
		}
		return nil, err
	}
	return &bucket{blob: b, kind: ofAzure, name: name, who: azureUser}, nil
}

// azureUser names the credentials that gocloud takes from the environment.
func azureUser() string {
	for _, variable := range []string{
		"AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGEBLOB_CONNECTIONSTRING",
	} {
		ignored := variable == "AZURE_STORAGE_KEY" && os.Getenv("AZURE_STORAGE_ACCOUNT") == ""
		if os.Getenv(variable) != "" && !ignored {
			return "the credentials in " + variable
		}
	}
	return "Azure's default credentials"
}

// patient bounds the tries of requests to Azure: gocloud has no other setting. Other SDKs ignore it.
func patient(ctx context.Context) context.Context {
	return policy.WithRetryOptions(ctx, policy.RetryOptions{
		MaxRetries:    attempts - 1,
		RetryDelay:    firstDelay,
		MaxRetryDelay: maxDelay,
		ShouldRetry: func(r *http.Response, err error) bool {
			if err != nil {
				return unreachable(err) == nil
			}
			return runtime.HasStatusCode(r, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
				http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
		},
	})
}

// ofAzure makes reads and writes conditional on entity tags.
var ofAzure = kind{
	readOnly: func(as func(any) bool, version string) error {
		var o *azblobblob.DownloadStreamOptions
		if !as(&o) {
			return errUnknown
		}
		o.AccessConditions = match(version)
		return nil
	},
	readVersion: func(r *blob.Reader) string {
		var answer azblobblob.DownloadStreamResponse
		if !r.As(&answer) || answer.ETag == nil {
			return ""
		}
		return string(*answer.ETag)
	},
	statVersion: func(a *blob.Attributes) string { return a.ETag },
	listVersion: func(*blob.ListObject) string { return "" },
	writeOver: func(as func(any) bool, version string) error {
		var o *azblob.UploadStreamOptions
		if !as(&o) {
			return errUnknown
		}
		o.AccessConditions = match(version)
		return nil
	},
	answer: func(err error) answer {
		var response *azcore.ResponseError
		if errors.As(err, &response) {
			return answer{status: response.StatusCode, code: response.ErrorCode}
		}
		var none interface{ NonRetriable() } // of azidentity, which has no other exported type for missing credentials
		if errors.As(err, &none) {
			message, _, _ := strings.Cut(fmt.Sprint(none), ".\n")
			return answer{status: http.StatusUnauthorized, message: message}
		}
		return answer{}
	},
	container: "container",
	hint:      "set AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run az login",
}

func match(version string) *azblobblob.AccessConditions {
	tag := azcore.ETag(version)
	return &azblobblob.AccessConditions{ModifiedAccessConditions: &azblobblob.ModifiedAccessConditions{IfMatch: &tag}}
}
