package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/store"
)

// kind is the part of a gocloud driver that differs: versions and conditions on them.
type kind struct {
	// readOnly makes a read fail unless the object has that version; as is the argument of ReaderOptions.BeforeRead.
	readOnly func(as func(any) bool, version string) error
	// readVersion returns the version that a reader reads.
	readVersion func(r *blob.Reader) string
	// statVersion returns the version in an object's attributes.
	statVersion func(a *blob.Attributes) string
	// listVersion returns the version in an object's list entry; "" if missing.
	listVersion func(o *blob.ListObject) string
	// writeOver makes a write fail unless the object has that version.
	writeOver func(as func(any) bool, version string) error
	// condition reports whether an error, unknown to gocloud, means an unmet condition.
	condition func(b *blob.Bucket, err error) bool
	// reason returns the store's own description of an error, without requests and ids; "" if there is none.
	reason func(b *blob.Bucket, err error) string
}

// bucket is a store.Bucket.
type bucket struct {
	blob *blob.Bucket
	kind
}

const (
	headBytes = 64 << 10 // read when an object is opened
	partBytes = 8 << 20  // minimum per part of an upload
	maxParts  = 9000     // S3 allows 10,000
	parallel  = 2        // parts per upload
)

// Open reads the first bytes, and with them the version.
func (b *bucket) Open(ctx context.Context, key string) (o store.Object, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := b.blob.NewRangeReader(ctx, key, 0, headBytes, nil)
	if err != nil {
		// An empty object has no first byte (InvalidRange): check its attributes.
		info, statErr := b.Stat(ctx, key)
		if statErr == nil && info.Size == 0 {
			return store.Object{Info: info}, nil
		}
		return o, b.fault(err, false)
	}
	defer r.Close()
	o.Info = store.Info{Key: key, Size: r.Size(), Version: b.readVersion(r)}
	if o.Version == "" {
		return o, errors.New("the store returned no version of the object")
	}
	if o.Head, err = io.ReadAll(io.LimitReader(remote.Timeout(r, cancel), headBytes)); err != nil {
		return o, err
	}
	o.Ranges = object{b, o.Info}
	return o, nil
}

// object is one version of an object.
type object struct {
	bucket *bucket
	store.Info
}

// Size returns the object's size in bytes.
func (o object) Size() int64 { return o.Info.Size }

// Open reads n bytes at off.
func (o object) Open(off, n int64) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := o.bucket.blob.NewRangeReader(ctx, o.Key, off, n, &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error { return o.bucket.readOnly(as, o.Version) },
	})
	if err != nil {
		cancel()
		return nil, o.bucket.fault(err, true)
	}
	if v := o.bucket.readVersion(r); v != o.Version || r.Size() != o.Info.Size {
		r.Close()
		cancel()
		return nil, store.ErrOther
	}
	return remote.Timeout(r, cancel), nil
}

// Stat describes an object.
func (b *bucket) Stat(ctx context.Context, key string) (store.Info, error) {
	a, err := b.blob.Attributes(ctx, key)
	if err != nil {
		return store.Info{}, b.fault(err, false)
	}
	return store.Info{Key: key, Size: a.Size, Version: b.statVersion(a), Token: a.Metadata[store.TokenKey]}, nil
}

// Put uploads an object, a large one in parts: it appears with the last request, which carries the condition.
func (b *bucket) Put(ctx context.Context, key string, w store.Write) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &blob.WriterOptions{
		BufferSize:     int(max(partBytes, (w.Size+maxParts-1)/maxParts)),
		MaxConcurrency: parallel,
		ContentType:    "application/octet-stream",
		Metadata:       map[string]string{store.TokenKey: w.Token},
		IfNotExist:     w.Over == "",
	}
	if w.Over != "" {
		o.BeforeWrite = func(as func(any) bool) error { return b.writeOver(as, w.Over) }
	}
	err := b.blob.Upload(ctx, key, io.NewSectionReader(w.Content, 0, w.Size), o)
	if err == nil {
		return nil
	}
	if gcerrors.Code(err) == gcerrors.FailedPrecondition || b.condition(b.blob, err) {
		if w.Over == "" {
			return fmt.Errorf("%w: %v", store.ErrExists, err)
		}
		return fmt.Errorf("%w: %v", store.ErrOther, err)
	}
	return b.fault(err, false)
}

// List yields the objects below a prefix.
func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		it := b.blob.List(&blob.ListOptions{Prefix: prefix})
		for {
			o, err := it.Next(ctx)
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(store.Info{}, b.fault(err, false))
				return
			}
			if o.IsDir {
				continue
			}
			if !yield(store.Info{Key: o.Key, Size: o.Size, Version: b.listVersion(o)}, nil) {
				return
			}
		}
	}
}

// fault translates an error to those of package store. conditional means that the request was for a certain version.
func (b *bucket) fault(err error, conditional bool) error {
	switch code := gcerrors.Code(err); {
	case code == gcerrors.NotFound:
		return fmt.Errorf("%w: %v", store.ErrAbsent, err)
	case code == gcerrors.PermissionDenied:
		return fmt.Errorf("%w: %v", store.ErrDenied, err)
	case conditional && (code == gcerrors.FailedPrecondition || b.condition(b.blob, err)):
		return fmt.Errorf("%w: %v", store.ErrOther, err)
	}
	if reason := b.reason(b.blob, err); reason != "" {
		return errors.New(reason)
	}
	return err
}
