package cloud

import (
	"context"
	"net/url"

	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"

	"github.com/tlayout/tlayout/internal/store"
)

func init() {
	register(azureblob.Scheme, ofAzure)
}

// register registers a gocloud driver, which opens buckets by its own environment and the parameters in the query.
func register(scheme string, k kind) {
	store.Register(scheme, func(ctx context.Context, name, query string) (store.Bucket, error) {
		b, err := blob.OpenBucket(ctx, (&url.URL{Scheme: scheme, Host: name, RawQuery: query}).String())
		if err != nil {
			return nil, err
		}
		return &bucket{b, k}, nil
	})
}
