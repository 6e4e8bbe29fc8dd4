package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"path"
	"slices"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/text"
)

// Open opens the current version of the object that a URL names. Errors are *fault.Error.
func Open(n name.Name) (*remote.Reader, error) {
	u, err := Parse(n)
	if err != nil {
		return nil, err
	}
	shown := n.String()
	if u.IsPrefix() {
		return nil, fault.New(fault.Usage, "cannot open %s: it does not name an object", shown).
			WithHint("inspect, check, convert and diff take a prefix")
	}
	ctx := context.Background()
	b, err := u.bucket(ctx)
	if err != nil {
		return nil, fault.In(shown, err)
	}
	var o Object
	err = Retry(func() (err error) {
		o, err = b.Open(ctx, u.Key)
		return err
	})
	if errors.Is(err, ErrAbsent) && path.Ext(u.Key) == "" {
		return nil, fault.New(fault.Resource, "cannot open %s: no such object", shown).WithHint("a prefix ends with a slash")
	}
	if err != nil {
		return nil, failure("open", shown, err)
	}
	if o.Size == 0 {
		return nil, fault.New(fault.Malformed, "%s: object is empty", shown)
	}
	r := remote.NewReader(shown, ranges{o.Ranges, shown}, o.Head)
	r.Version = o.Version
	return r, nil
}

// ranges returns permanent errors of a store as *fault.Error, so that only others are retried.
type ranges struct {
	remote.Ranges
	shown string
}

func (r ranges) Open(off, n int64) (io.ReadCloser, error) {
	body, err := r.Ranges.Open(off, n)
	if errors.Is(err, ErrOther) || errors.Is(err, ErrAbsent) {
		return nil, remote.Changed(r.shown)
	}
	if isFinal(err) {
		return nil, failure("read", r.shown, err)
	}
	return body, err
}

// Target is an object to be written.
type Target struct {
	shown  string
	url    URL
	bucket Bucket
	found  *Info // the existing object; nil if none
}

// Locate finds the object of that name, if it exists. Errors are *fault.Error.
func Locate(n name.Name) (*Target, error) {
	u, err := Parse(n)
	if err != nil {
		return nil, err
	}
	shown := n.String()
	if u.IsPrefix() {
		return nil, fault.New(fault.Usage, "cannot write %s: it does not name an object", shown)
	}
	if n.Kind() == name.URL {
		return nil, fault.New(fault.Usage, "cannot write %s: http is read-only", shown)
	}
	ctx := context.Background()
	b, err := u.bucket(ctx)
	if err != nil {
		return nil, fault.In("cannot write "+shown, err)
	}
	t := &Target{shown: shown, url: u, bucket: b}
	info, err := t.stat(ctx)
	if errors.Is(err, ErrAbsent) {
		return t, nil
	}
	if err != nil {
		return nil, failure("write", shown, err)
	}
	t.found = &info
	return t, nil
}

func (t *Target) stat(ctx context.Context) (info Info, err error) {
	err = Retry(func() error {
		info, err = t.bucket.Stat(ctx, t.url.Key)
		return err
	})
	return info, err
}

// Exists reports whether the object existed when the target was located.
func (t *Target) Exists() bool { return t.found != nil }

// Put writes the object; if it exists, the error is ErrExists. With replace, Put replaces the version that existed when the target was
// located, but no other. It retries failures that may be temporary. The token, unique to each write, distinguishes a write whose response
// was lost from another program's.
func (t *Target) Put(ctx context.Context, content io.ReaderAt, size int64, token string, replace bool) error {
	w := Write{Content: content, Size: size, Token: token}
	if replace && t.found != nil {
		w.Over = t.found.Version
	}
	for failures := 1; ; failures++ {
		err := t.bucket.Put(ctx, t.url.Key, w)
		if err == nil {
			return nil
		}
		if isFinal(err) {
			return failure("write", t.shown, err)
		}
		switch t.outcomeOf(ctx, w, err) {
		case written:
			return nil
		case occupied:
			return ErrExists
		case changed:
			return fault.New(fault.Resource, "output %s was changed by another program meanwhile", t.shown)
		}
		if failures == tries {
			return failure("write", t.shown, err)
		}
		pause(failures)
	}
}

// outcome is what became of a write whose response was an error, or was lost.
type outcome int

const (
	unknown  outcome = iota // it may be repeated
	written                 // the object is ours
	occupied                // another program's object exists
	changed                 // another program has changed or removed the version to replace
)

// outcomeOf determines whether a write that failed with this error took effect.
func (t *Target) outcomeOf(ctx context.Context, w Write, err error) outcome {
	now, statErr := t.stat(ctx)
	if statErr != nil {
		if w.Over != "" && errors.Is(statErr, ErrAbsent) {
			return changed
		}
		return unknown
	}
	if now.Token == w.Token && now.Size == w.Size {
		return written
	}
	if errors.Is(err, ErrExists) {
		return occupied
	}
	if errors.Is(err, ErrOther) {
		return changed
	}
	return unknown
}

// Exists returns the error for an output that exists and must not be replaced.
func Exists(shown string) *fault.Error {
	return fault.New(fault.Resource, "output %s exists", shown).WithHint("--force replaces it")
}

// tries bounds the attempts at a request; the driver retries each of them itself.
const tries = 5

// firstWait is the longest pause after the first failure.
var firstWait = 200 * time.Millisecond

func pause(failures int) {
	time.Sleep(time.Duration(rand.Int64N(int64(firstWait << (failures - 1)))))
}

// Retry calls f until it succeeds, fails for good or has failed five times, and pauses for at most 3 s in all. io.EOF ends it too.
func Retry(f func() error) error {
	for failures := 1; ; failures++ {
		err := f()
		if err == nil || failures == tries || !mayPass(err) {
			return err
		}
		pause(failures)
	}
}

// answers are errors that no other try changes.
var answers = []error{ErrAbsent, ErrExists, ErrOther}

// mayPass reports whether another try may succeed after an error.
func mayPass(err error) bool {
	if err == io.EOF || isFinal(err) || errors.As(err, new(*remote.Slow)) {
		return false
	}
	return !slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
}

// isFinal reports whether a driver explained an error that no other try can mend.
func isFinal(err error) bool { return errors.As(err, new(*fault.Error)) }

// failure returns the error of an operation on an object.
func failure(verb, shown string, err error) error {
	if isFinal(err) {
		return fault.In("cannot "+verb+" "+shown, err)
	}
	if errors.Is(err, ErrAbsent) {
		return fault.New(fault.Resource, "cannot %s %s: no such object", verb, shown)
	}
	return fault.New(fault.Resource, "cannot %s %s: %s", verb, shown, text.Quote(text.Shorten(fmt.Sprint(fault.Cause(err)))))
}

// List yields the objects whose URLs start with a name, sorted by key, and stops after an error, a *fault.Error.
func List(n name.Name) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		u, err := Parse(n)
		var b Bucket
		ctx := context.Background()
		if err == nil {
			b, err = u.bucket(ctx)
		}
		if err != nil {
			yield(Info{}, err)
			return
		}
		for info, err := range b.List(ctx, u.Key) {
			if err != nil {
				err = failure("list", n.String(), err)
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}
