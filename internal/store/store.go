// Package store reads and writes objects of object stores: s3://bucket/key, and other registered schemes. A build of the program has the
// stores that its drivers register; the plain build has none.
//
// An object appears whole or not at all, and never replaces another's, because writes are conditional: on the absence of the object, or on
// its previous version. An object's metadata holds a random token, unique to each write, by which a program detects that a write succeeded
// although its response was lost.
package store

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/text"
)

// Errors that a Bucket's errors wrap. A *fault.Error is final too: access is denied, or the bucket does not exist. All other errors may be
// temporary.
var (
	ErrAbsent = errors.New("no such object")
	ErrExists = errors.New("the object exists")      // of Put with an empty version
	ErrOther  = errors.New("the object has changed") // of Put with a version, and of reads
)

// TokenKey is the name of the metadata that holds an object's token.
const TokenKey = "tlayout-write"

// Info describes an object.
type Info struct {
	Key     string
	Size    int64
	Version string // changed by every write
	Token   string // metadata TokenKey; "" for none, and in lists
}

// Object is one version of an object.
type Object struct {
	Info
	Head   []byte // the first bytes, if already read
	Ranges remote.Ranges
}

// Write is the content of an object, and the condition for writing it.
type Write struct {
	Content io.ReaderAt
	Size    int64
	Token   string
	Over    string // the version to replace; "" if the object must not exist
}

// Bucket is a container of objects. It is safe for concurrent use.
//
// To add an object store: a Bucket whose reads and writes are conditional, registered in cloud/ from init; its scheme in others and in the hint of
// notBuiltIn below; docs/cloud.md; make verify-cloud with a server that speaks its protocol.
type Bucket interface {
	// Open opens the current version of an object for reading.
	Open(ctx context.Context, key string) (Object, error)
	// Stat describes an object.
	Stat(ctx context.Context, key string) (Info, error)
	// Put writes a whole object, on the condition of w. After an error that wraps none of the above, the object may have been written.
	Put(ctx context.Context, key string, w Write) error
	// List yields the objects whose keys start with prefix, sorted by key, and stops after an error.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
}

// Opener opens the bucket of scheme://bucket?query.
type Opener func(ctx context.Context, bucket, query string) (Bucket, error)

var registry = struct {
	mu      sync.Mutex
	openers map[string]Opener
	buckets map[name.Name]*opening
}{openers: map[string]Opener{}, buckets: map[name.Name]*opening{}}

// opening is a bucket that is opened by the first of those that need it, and the others wait.
type opening struct {
	once   sync.Once
	bucket Bucket
	err    error // a *fault.Error
}

// Register registers a store for a scheme, replacing an earlier one. Drivers call it from init, and tests.
func Register(scheme string, open Opener) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.openers[scheme] = open
	maps.DeleteFunc(registry.buckets, func(bucket name.Name, _ *opening) bool { return bucket.Scheme() == scheme })
}

// others lists the schemes of the stores in the module cloud.
var others = []string{"s3", "gs", "azblob"}

// Is reports whether a name is the URL of an object or a prefix in a store, even if this build lacks the store.
func Is(n name.Name) bool {
	scheme := n.Scheme()
	if scheme == "" {
		return false
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return registry.openers[scheme] != nil || slices.Contains(others, scheme)
}

// URL is the name of an object: scheme://bucket/key?query. The key is literal, without escapes; the query is for the driver.
type URL struct {
	Scheme, Bucket, Key, Query string
}

// Parse splits a URL. It drops empty and single-dot parts of the key.
func Parse(n name.Name) (u URL, err error) {
	u.Scheme = n.Scheme()
	var key string
	u.Bucket, key, u.Query = n.Location()
	if u.Scheme == "" || u.Bucket == "" {
		return u, fault.New(fault.Usage, "missing bucket in %s", n).WithHint("write s3://bucket/x.npy")
	}
	parts := strings.Split(key, "/")
	folder := len(parts) > 0 && (parts[len(parts)-1] == "" || parts[len(parts)-1] == ".")
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "." })
	if slices.Contains(parts, "..") {
		return u, fault.New(fault.Usage, "%s: a key cannot contain ..", n)
	}
	u.Key = strings.Join(parts, "/")
	if folder && u.Key != "" {
		u.Key += "/"
	}
	return u, nil
}

// IsPrefix reports whether the URL names a prefix, or the whole bucket.
func (u URL) IsPrefix() bool { return u.Key == "" || strings.HasSuffix(u.Key, "/") }

// Holds reports whether an object is below the prefix that the URL names.
func (u URL) Holds(object URL) bool {
	sameBucket := u.Scheme == object.Scheme && u.Bucket == object.Bucket
	return sameBucket && strings.HasPrefix(object.Key, u.Key)
}

// Name returns the name of the URL; Parse splits it again.
func (u URL) Name() name.Name {
	url := u.Scheme + "://" + u.Bucket + "/" + u.Key
	if u.Query != "" {
		url += "?" + u.Query
	}
	return name.Parse(url)
}

// bucket opens the URL's bucket, once per program, even if it fails: a driver may wait long for credentials. Only errors that the driver
// does not explain may be temporary. Errors are *fault.Error.
func (u URL) bucket(ctx context.Context) (Bucket, error) {
	bucket := URL{Scheme: u.Scheme, Bucket: u.Bucket, Query: u.Query}.Name()
	registry.mu.Lock()
	open := registry.openers[u.Scheme]
	o := registry.buckets[bucket]
	if open != nil && o == nil {
		o = new(opening)
		registry.buckets[bucket] = o
	}
	registry.mu.Unlock()
	if open == nil {
		return nil, notBuiltIn(u.Scheme)
	}
	o.once.Do(func() {
		var err error
		o.bucket, err = open(ctx, u.Bucket, u.Query)
		if err == nil {
			return
		}
		if isFinal(err) {
			o.err = fault.In("cannot open the bucket "+text.Quoted(u.Bucket), err)
			return
		}
		o.err = fault.New(fault.Resource, "cannot open the bucket %s: %v", text.Quoted(u.Bucket), fault.Cause(err)).
			WithHint("set credentials and region in the store's own environment variables or files")
		registry.mu.Lock()
		defer registry.mu.Unlock()
		if registry.buckets[bucket] == o {
			delete(registry.buckets, bucket)
		}
	})
	return o.bucket, o.err
}

// notBuiltIn returns the error for a URL whose store this build lacks.
func notBuiltIn(scheme string) error {
	if slices.Contains(others, scheme) {
		return fault.New(fault.Unsupported, "%s:// is not in this build of tlayout", scheme).
			WithHint("use tlayout-cloud, the program with object storage, or https://")
	}
	return fault.New(fault.Usage, "unsupported URL scheme %s://", text.Quote(scheme)).
		WithHint("use https:// or http://, or in the build with object storage s3://, gs:// or azblob://")
}
