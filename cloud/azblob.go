package cloud

import (
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azblobblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"gocloud.dev/blob"
)

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
	condition: func(b *blob.Bucket, err error) bool {
		var answer *azcore.ResponseError
		return b.ErrorAs(err, &answer) && answer.StatusCode == http.StatusPreconditionFailed
	},
	reason: func(b *blob.Bucket, err error) string {
		var answer *azcore.ResponseError
		if !b.ErrorAs(err, &answer) {
			return ""
		}
		return answer.ErrorCode
	},
}

func match(version string) *azblobblob.AccessConditions {
	tag := azcore.ETag(version)
	return &azblobblob.AccessConditions{ModifiedAccessConditions: &azblobblob.ModifiedAccessConditions{IfMatch: &tag}}
}
