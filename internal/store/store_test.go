package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/store/storetest"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

// denied is a final error of a driver.
var denied = fault.New(fault.Resource, "access denied")

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"s3://b/x.npy", "s3 b x.npy "},
		{"S3://b/out/./x.npy", "s3 b out/x.npy "},
		{"gs://b//out/.//d/", "gs b out/d/ "},
		{"azblob://b", "azblob b  "},
		{"s3://b/", "s3 b  "},
		{"s3://b/a b%20c#d.npy?region=eu&endpoint=http://h", "s3 b a b%20c#d.npy region=eu&endpoint=http://h"},
	} {
		u, err := store.Parse(named(c.name))
		if got := strings.Join([]string{u.Scheme, u.Bucket, u.Key, u.Query}, " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; expected %q", c.name, got, err, c.want)
		}
	}
	for _, name := range []string{"s3://", "s3:///x.npy", "x.npy", "s3://b/../x.npy"} {
		if _, err := store.Parse(named(name)); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotBuiltIn: a store that is not in this build names the build that has it.
func TestNotBuiltIn(t *testing.T) {
	var f *fault.Error
	if _, err := store.Open(named("s3://b/x.npy")); !errors.As(err, &f) || f.Class != fault.Unsupported || !strings.Contains(f.Hint, "use tlayout-cloud") {
		t.Errorf("%v", err)
	}
	if _, err := store.Locate(named("ftp://b/x.npy")); fault.ClassOf(err) != fault.Usage {
		t.Errorf("%v", err)
	}
}

func put(name string, content, token string, replace bool) error {
	to, err := store.Locate(named(name))
	if err != nil {
		return err
	}
	return to.Put(context.Background(), strings.NewReader(content), int64(len(content)), token, replace)
}

// TestPutOnce: many writers write one object, with failures before and after requests take effect: one writes; those with its token
// succeed, and the others get ErrExists.
func TestPutOnce(t *testing.T) {
	rng := random.New(t)
	s := storetest.New()
	broken := errors.New("the connection broke")
	for round := range 100 {
		var drawing sync.Mutex
		failures := 0
		s.Trouble = func(string, string) (before, after error) {
			drawing.Lock()
			defer drawing.Unlock()
			n := rng.IntN(6)
			if n <= 1 {
				failures++
			}
			switch {
			case n > 1 || failures > 4: // a fifth failure would end the request
				return nil, nil
			case n == 0:
				return broken, nil
			}
			return nil, broken
		}
		name := fmt.Sprintf("x%d", round)
		before := s.Writes()
		var wait sync.WaitGroup
		var mu sync.Mutex
		won := map[string]int{}
		var others []error
		for i := range 8 {
			token := fmt.Sprint("token", i%2)
			to, err := store.Locate(named("test://b/" + name))
			if err != nil {
				t.Fatal(err)
			}
			wait.Go(func() {
				err := to.Put(context.Background(), strings.NewReader(token), int64(len(token)), token, false)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won[token]++
				} else {
					others = append(others, err)
				}
			})
		}
		wait.Wait()
		content, token := s.Get("b/" + name)
		if s.Writes() != before+1 || string(content) != token || len(won) != 1 || won[token]+countExists(others) != 8 {
			t.Fatalf("round %d: %d writes, %q of token %q; %v, %v", round, s.Writes()-before, content, token, won, others)
		}
	}
}

func countExists(all []error) (n int) {
	for _, err := range all {
		if strings.Contains(err.Error(), "exists") {
			n++
		}
	}
	return n
}

// TestReplace: replace replaces only the version that was located: not an object that appeared later, nor one written again.
func TestReplace(t *testing.T) {
	s := storetest.New()
	s.Set("b/x", []byte("old"))
	if err := put("test://b/x", "new", "t1", true); err != nil {
		t.Error(err)
	}
	for _, there := range []bool{true, false} {
		name := fmt.Sprint("y", there)
		if there {
			s.Set("b/"+name, []byte("old"))
		}
		to, err := store.Locate(named("test://b/" + name))
		if err != nil {
			t.Fatal(err)
		}
		s.Set("b/"+name, []byte("of another"))
		err = to.Put(context.Background(), strings.NewReader("mine"), 4, "t2", true)
		if content, _ := s.Get("b/" + name); string(content) != "of another" || fault.ClassOf(err) != fault.Resource || err == nil {
			t.Errorf("there before %t: %q, %v", there, content, err)
		}
	}
}

// TestLostAnswer: a write whose response is lost counts as done; one that never takes effect is an error.
func TestLostAnswer(t *testing.T) {
	s := storetest.New()
	lose := true
	s.Trouble = func(request, _ string) (before, after error) {
		if request == "put" && lose {
			lose = false
			return nil, errors.New("the connection broke")
		}
		return nil, nil
	}
	if err := put("test://b/x", "content", "t1", false); err != nil || s.Writes() != 1 {
		t.Errorf("%v after %d writes", err, s.Writes())
	}
	nested := false
	s.Trouble = func(request, _ string) (before, after error) {
		if request != "put" || nested {
			return nil, nil
		}
		nested = true
		return errors.New("the connection broke"), put("test://b/w", "made by another version", "t1", false)
	}
	if err := put("test://b/w", "content", "t1", false); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("another size of the same token counts as written: %v", err)
	}
	s.Trouble = func(request, _ string) (before, after error) {
		if request == "put" {
			return errors.New("service unavailable"), nil
		}
		return nil, nil
	}
	if err := put("test://b/y", "content", "t1", false); err == nil || !strings.Contains(err.Error(), "service unavailable") {
		t.Error(err)
	}
	s.Trouble = func(request, _ string) (before, after error) { return denied, nil }
	before := s.Requests("stat")
	if err := put("test://b/z", "content", "t1", false); err == nil || !strings.Contains(err.Error(), "access denied") || s.Requests("stat") != before+1 {
		t.Error(err)
	}
}

// TestOpenedVersion: reads return the version that was opened, or fail.
func TestOpenedVersion(t *testing.T) {
	s := storetest.New()
	content := bytes.Repeat([]byte("0123456789"), 100000)
	s.Set("b/x", content)
	r, err := store.Open(named("test://b/x"))
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 1000)
	if _, err := r.ReadAt(p, 500000); err != nil || !bytes.Equal(p, content[:1000]) {
		t.Fatal(err)
	}
	s.Set("b/x", content)
	if _, err := r.ReadAt(p, 800000); err == nil || !strings.Contains(err.Error(), "changed while reading") {
		t.Error(err)
	}
	if _, err := store.Open(named("test://b/none")); err == nil || !strings.Contains(err.Error(), "no such object") {
		t.Error(err)
	}
	s.Set("b/empty", nil)
	if _, err := store.Open(named("test://b/empty")); fault.ClassOf(err) != fault.Malformed {
		t.Error(err)
	}
}

// TestAskedOnce: permanent errors are not retried: a server that is too slow, and a denied read or stat.
func TestAskedOnce(t *testing.T) {
	s := storetest.New()
	s.Set("b/x", bytes.Repeat([]byte("x"), 1<<20))
	r, err := store.Open(named("test://b/x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		request string
		err     error
		text    string
		do      func() error
	}{
		{"open", &remote.Slow{Bytes: 1, In: time.Minute}, "cannot open \"test://b/x\": too slow: the server sent 1 byte in 1m0s", func() error { _, err := store.Open(named("test://b/x")); return err }},
		{"read", denied, "cannot read \"test://b/x\": access denied", func() error { _, err := r.ReadAt(make([]byte, 9), 500000); return err }},
		{"stat", denied, "cannot write \"test://b/x\": access denied", func() error { _, err := store.Locate(named("test://b/x")); return err }},
	} {
		s.Trouble = func(request, _ string) (before, after error) {
			if request == c.request {
				return c.err, nil
			}
			return nil, nil
		}
		before := s.Requests(c.request)
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.text) || s.Requests(c.request) != before+1 {
			t.Errorf("%s: %v after %d requests", c.request, err, s.Requests(c.request)-before)
		}
	}
}

// TestBucketOpenedOnce: a bucket is opened once, whichever other schemes are registered, until its own scheme is registered again.
func TestBucketOpenedOnce(t *testing.T) {
	opened := 0
	store.Register("shut", func(context.Context, string, string) (store.Bucket, error) {
		opened++
		return nil, errors.New("closed")
	})
	for range 2 { // it may be temporary
		if _, err := store.Open(named("shut://b/x")); err == nil || !strings.Contains(err.Error(), "cannot open the bucket \"b\": closed") {
			t.Error(err)
		}
	}
	if opened != 2 {
		t.Errorf("opened %d times", opened)
	}
	var explained atomic.Int64
	store.Register("locked", func(context.Context, string, string) (store.Bucket, error) {
		explained.Add(1)
		time.Sleep(10 * time.Millisecond)
		return nil, denied
	})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := store.Open(named("locked://b/x")); err == nil || !strings.Contains(err.Error(), "cannot open the bucket \"b\": access denied") {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := explained.Load(); n != 1 {
		t.Errorf("a bucket that cannot be opened was opened %d times", n)
	}
	counted := 0
	for _, scheme := range []string{"test3", "other", "", "test3"} {
		if scheme != "" {
			store.Register(scheme, func(context.Context, string, string) (store.Bucket, error) {
				counted++
				return empty{}, nil
			})
		}
		for range 2 {
			if _, err := store.Locate(named("test3://b/y")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if counted != 2 {
		t.Errorf("the bucket was opened %d times, expected once for each registration of its scheme", counted)
	}
}

// empty is a bucket without objects.
type empty struct{ store.Bucket }

func (empty) Stat(context.Context, string) (store.Info, error) { return store.Info{}, store.ErrAbsent }
