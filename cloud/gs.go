package cloud

import (
	"net/http"
	"strconv"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"google.golang.org/api/googleapi"
)

// ofGS binds reads and writes to generations.
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
