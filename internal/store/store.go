// Package store reads and writes objects of object stores: s3://bucket/key, and whatever other scheme is registered. A build of the
// program has the stores that its drivers register; the plain one has none.
//
// An object appears whole or not at all, and never over another's, because its write is conditional: on no object of that name, or on the
// version that was there before. An object's metadata holds a token, a random one of each write, by which a program finds that a write took
// place whose answer was lost.
package store

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/words"
)

// What a Bucket's errors wrap. All other errors may pass.
var (
	ErrAbsent = errors.New("no such object")
	ErrExists = errors.New("the object exists")         // of Put with an empty version
	ErrOther  = errors.New("the object is another one") // of Put with a version, and of reads
	ErrDenied = errors.New("access denied")
)

// TokenKey is the name of the metadata that holds an object's token.
const TokenKey = "tlayout-write"

// Info is what a store says of an object.
type Info struct {
	Key     string
	Size    int64
	Version string // changes with every write
	Token   string // metadata TokenKey; "" for none, and in lists
}

// Object is one version of an object.
type Object struct {
	Info
	Head   []byte // its first bytes, if they are known
	Ranges remote.Ranges
}

// Write is what an object is made of, and on which condition.
type Write struct {
	Content io.ReaderAt
	Size    int64
	Token   string
	Over    string // the version to replace; "" if there must be no object
}

// Bucket is a container of objects. It serves many goroutines at once.
type Bucket interface {
	// Open finds an object that is to be read, and the version that it has now.
	Open(ctx context.Context, key string) (Object, error)
	// Stat describes an object.
	Stat(ctx context.Context, key string) (Info, error)
	// Put writes an object whole, on the condition of w. After an error that wraps none of the above it may be there.
	Put(ctx context.Context, key string, w Write) error
	// List yields the objects whose keys begin with prefix, in the order of their keys, and ends after an error.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
}

// Opener opens the bucket that scheme://bucket?query names.
type Opener func(ctx context.Context, bucket, query string) (Bucket, error)

var registry = struct {
	mu      sync.Mutex
	openers map[string]Opener
	buckets map[string]Bucket // that were opened
}{openers: map[string]Opener{}, buckets: map[string]Bucket{}}

// Register makes URLs of a scheme those of a store, instead of another that was registered before. It is for drivers' init functions,
// and for tests.
func Register(scheme string, open Opener) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.openers[scheme] = open
	maps.DeleteFunc(registry.buckets, func(name string, _ Bucket) bool { return words.Scheme(name) == scheme })
}

// others are the schemes of stores that the build of the module cloud has.
var others = []string{"s3", "gs", "azblob"}

// Is reports whether a name is the URL of an object or a prefix in a store, be it one that this build does not have.
func Is(name string) bool {
	scheme := words.Scheme(name)
	if scheme == "" {
		return false
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return registry.openers[scheme] != nil || slices.Contains(others, scheme)
}

// URL is the name of an object: scheme://bucket/key?query. The key is as it is, without any escapes; the query is the driver's.
type URL struct {
	Scheme, Bucket, Key, Query string
}

// Parse splits a URL. Empty parts and those of single dots are removed from the key.
func Parse(name string) (u URL, err error) {
	u.Scheme = words.Scheme(name)
	rest, query, _ := strings.Cut(name[min(len(name), len(u.Scheme)+len("://")):], "?")
	u.Query = query
	var key string
	u.Bucket, key, _ = strings.Cut(rest, "/")
	if u.Scheme == "" || u.Bucket == "" {
		return u, fault.New(fault.Usage, "%s names no bucket", words.Quoted(name)).WithHint("s3://bucket/x.npy names an object")
	}
	parts := strings.Split(key, "/")
	folder := len(parts) > 0 && (parts[len(parts)-1] == "" || parts[len(parts)-1] == ".")
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "." })
	if slices.Contains(parts, "..") {
		return u, fault.New(fault.Usage, "%s: a key cannot go up with ..", words.Quoted(name))
	}
	if u.Key = strings.Join(parts, "/"); folder && u.Key != "" {
		u.Key += "/"
	}
	return u, nil
}

// String is the URL that Parse splits.
func (u URL) String() string {
	name := u.Scheme + "://" + u.Bucket + "/" + u.Key
	if u.Query != "" {
		name += "?" + u.Query
	}
	return name
}

// Join is the name of a file in a folder, or of an object below a prefix.
func Join(folder, name string) string {
	if words.Scheme(folder) == "" {
		return filepath.Join(folder, name)
	}
	path := words.URLPath(folder)
	return strings.TrimSuffix(path, "/") + "/" + name + folder[len(path):]
}

// bucket opens the URL's bucket, once in the program. Errors are *fault.Error.
func (u URL) bucket(ctx context.Context) (Bucket, error) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	open := registry.openers[u.Scheme]
	if open == nil {
		return nil, notBuiltIn(u.Scheme)
	}
	name := URL{Scheme: u.Scheme, Bucket: u.Bucket, Query: u.Query}.String()
	if b := registry.buckets[name]; b != nil {
		return b, nil
	}
	b, err := open(ctx, u.Bucket, u.Query)
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return nil, fault.In("cannot open the bucket "+words.Quoted(u.Bucket), f)
	}
	if err != nil {
		return nil, fault.New(fault.Resource, "cannot open the bucket %s: %v", words.Quoted(u.Bucket), fault.Cause(err)).
			WithHint("credentials and region are those of the store's own environment variables and files")
	}
	registry.buckets[name] = b
	return b, nil
}

// notBuiltIn is the error of a URL whose store this build does not have.
func notBuiltIn(scheme string) error {
	if slices.Contains(others, scheme) {
		return fault.New(fault.Unsupported, "%s:// is not in this build of tlayout", scheme).
			WithHint("the build with object storage is cloud/cmd/tlayout: make cloud; this one reads https:// too")
	}
	return fault.New(fault.Usage, "%s:// is no scheme that tlayout knows", words.Quote(scheme)).
		WithHint("https://, http://, and in the build with object storage s3://, gs:// and azblob://")
}
