package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync/atomic"

	"gocloud.dev/blob"

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
	// answer returns what the store responded.
	answer func(err error) answer

	container string // the store's own word for a bucket
	hint      string // how to set credentials
	public    string // how to send none; "" if unknown
	moved     string // how to set the bucket's region; "" if unknown
}

// bucket is a store.Bucket.
type bucket struct {
	blob *blob.Bucket
	kind
	name   string
	who    func() string // whose credentials requests have
	exists atomic.Bool   // an object was found in it
}

const (
	headBytes = 64 << 10 // read when an object is opened
	partBytes = 8 << 20  // minimum per part of an upload
	maxParts  = 9000     // S3 allows 10,000
	parallel  = 2        // parts per upload
)

// Open reads the first bytes, and with them the version.
func (b *bucket) Open(ctx context.Context, key string) (o store.Object, err error) {
	ctx, cancel := context.WithCancel(patient(ctx))
	defer cancel()
	r, err := b.blob.NewRangeReader(ctx, key, 0, headBytes, nil)
	if err != nil {
		switch b.answer(err).status {
		case http.StatusNotFound:
			return o, b.absent(ctx, b.fault(err, false))
		case http.StatusRequestedRangeNotSatisfiable: // an empty object has no first byte
			if info, err := b.Stat(ctx, key); err == nil && info.Size == 0 {
				return store.Object{Info: info}, nil
			}
		}
		return o, b.fault(err, false)
	}
	b.exists.Store(true)
	defer r.Close()
	o.Info = store.Info{Key: key, Size: r.Size(), Version: b.readVersion(r)}
	if o.Version == "" {
		return o, errors.New("the store returned no version of the object")
	}
	o.Head, err = io.ReadAll(io.LimitReader(remote.Timeout(r, cancel), headBytes))
	if err != nil {
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
	ctx, cancel := context.WithCancel(patient(context.Background()))
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
	ctx = patient(ctx)
	a, err := b.blob.Attributes(ctx, key)
	if err != nil {
		err = b.fault(err, false)
		if errors.Is(err, store.ErrAbsent) {
			err = b.absent(ctx, err)
		}
		return store.Info{}, err
	}
	b.exists.Store(true)
	return store.Info{Key: key, Size: a.Size, Version: b.statVersion(a), Token: a.Metadata[store.TokenKey]}, nil
}

// Put uploads an object, a large one in parts: it appears with the last request, which carries the condition.
func (b *bucket) Put(ctx context.Context, key string, w store.Write) error {
	ctx, cancel := context.WithCancel(patient(ctx))
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
	a := b.answer(err)
	if isUnmet(a, err) && w.Over == "" {
		return fmt.Errorf("%w: %v", store.ErrExists, err)
	}
	if a.status == http.StatusNotFound { // of the bucket, or of the upload
		return b.absent(ctx, a.fault())
	}
	return b.fault(err, w.Over != "")
}

// List yields the objects below a prefix.
func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		ctx := patient(ctx)
		it := b.blob.List(&blob.ListOptions{Prefix: prefix})
		for {
			var o *blob.ListObject
			err := store.Retry(func() (err error) {
				o, err = it.Next(ctx)
				if err != nil && err != io.EOF {
					err = b.fault(err, false)
				}
				return err
			})
			if err == io.EOF {
				return
			}
			if errors.Is(err, store.ErrAbsent) {
				err = b.missing()
			}
			if err != nil {
				yield(store.Info{}, err)
				return
			}
			if o.IsDir {
				continue
			}
			b.exists.Store(true)
			if !yield(store.Info{Key: o.Key, Size: o.Size, Version: b.listVersion(o)}, nil) {
				return
			}
		}
	}
}
