// Package storetest is an in-memory object store for tests. Its writes are conditional and atomic, like those of S3, and tests can inject
// failures.
package storetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/store"
)

// Scheme is the scheme of its URLs: test://bucket/key.
const Scheme = "test"

// Store holds the objects of all buckets, by bucket/key.
type Store struct {
	// Trouble is called before each request (open, read, stat, put or list), and may be nil. The request fails with the first error before it
	// takes effect, or with the second afterwards.
	Trouble func(request, name string) (before, after error)

	mu       sync.Mutex // guards what follows
	objects  map[string]entry
	writes   int
	requests map[string]int
}

type entry struct {
	content        []byte
	token, version string
}

// New makes an empty store and registers it, replacing an earlier one.
func New() *Store {
	s := &Store{objects: map[string]entry{}, requests: map[string]int{}}
	store.Register(Scheme, func(_ context.Context, name, _ string) (store.Bucket, error) { return bucket{s, name + "/"}, nil })
	return s
}

// Set makes or replaces an object.
func (s *Store) Set(name string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(name, content, "")
}

func (s *Store) set(name string, content []byte, token string) {
	s.writes++
	s.objects[name] = entry{content, token, fmt.Sprintf("v%d", s.writes)}
}

// Get returns an object's content and token, or nil if it does not exist.
func (s *Store) Get(name string) (content []byte, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[name].content, s.objects[name].token
}

// Names returns the names of all objects, sorted.
func (s *Store) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Writes returns how many writes took effect.
func (s *Store) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// Requests returns how many requests of a kind were made.
func (s *Store) Requests(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[kind]
}

// do runs a request, with the failures of Trouble.
func (s *Store) do(request, name string, f func() error) error {
	var before, after error
	if s.Trouble != nil {
		before, after = s.Trouble(request, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests[request]++; before != nil {
		return before
	}
	if err := f(); err != nil {
		return err
	}
	return after
}

// bucket is a bucket of the store.
type bucket struct {
	*Store
	prefix string // its name and a slash
}

func (b bucket) info(key string) (store.Info, entry, error) {
	e, ok := b.objects[b.prefix+key]
	if !ok {
		return store.Info{}, e, store.ErrAbsent
	}
	return store.Info{Key: key, Size: int64(len(e.content)), Version: e.version, Token: e.token}, e, nil
}

func (b bucket) Open(_ context.Context, key string) (o store.Object, err error) {
	err = b.do("open", b.prefix+key, func() error {
		var e entry
		o.Info, e, err = b.info(key)
		o.Head = e.content[:min(64, len(e.content))]
		o.Ranges = object{b, o.Info}
		return err
	})
	return o, err
}

func (b bucket) Stat(_ context.Context, key string) (i store.Info, err error) {
	err = b.do("stat", b.prefix+key, func() error {
		i, _, err = b.info(key)
		return err
	})
	return i, err
}

func (b bucket) Put(_ context.Context, key string, w store.Write) error {
	content, err := io.ReadAll(io.NewSectionReader(w.Content, 0, w.Size))
	if err != nil {
		return err
	}
	return b.do("put", b.prefix+key, func() error {
		switch e, there := b.objects[b.prefix+key]; {
		case there && w.Over == "":
			return store.ErrExists
		case e.version != w.Over:
			return store.ErrOther
		}
		b.set(b.prefix+key, content, w.Token)
		return nil
	})
}

func (b bucket) List(_ context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for _, name := range b.Names() {
			key, ours := strings.CutPrefix(name, b.prefix)
			if !ours || !strings.HasPrefix(key, prefix) {
				continue
			}
			var i store.Info
			err := b.do("list", name, func() (err error) {
				i, _, err = b.info(key)
				i.Token = ""
				return err
			})
			if !yield(i, err) || err != nil {
				return
			}
		}
	}
}

// object is one version of an object.
type object struct {
	bucket bucket
	store.Info
}

func (o object) Size() int64 { return o.Info.Size }

func (o object) Open(off, n int64) (body io.ReadCloser, err error) {
	err = o.bucket.do("read", o.bucket.prefix+o.Key, func() error {
		now, e, err := o.bucket.info(o.Key)
		switch {
		case err != nil:
			return err
		case now.Version != o.Version:
			return store.ErrOther
		}
		body = io.NopCloser(bytes.NewReader(e.content[off : off+n]))
		return nil
	})
	return body, err
}
