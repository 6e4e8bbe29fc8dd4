package remote

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/sorting"
)

// Ranges reads one version of a remote object. It is safe for concurrent use.
type Ranges interface {
	// Size returns the object's size in bytes.
	Size() int64
	// Open reads n bytes at off. Errors of Open and of the reader are retried, unless they are *fault.Error. If the object's version has
	// changed, the error is Changed.
	Open(off, n int64) (io.ReadCloser, error)
}

// manyRanges is implemented by objects whose server may send several ranges in one response.
type manyRanges interface {
	// readSpans fills spans by one request. Without an error all are filled; asked is false if it made no request.
	readSpans(spans []span) (asked bool, err error)
}

// Changed returns the error for an object that changed since it was opened.
func Changed(shown string) error {
	return fault.New(fault.Resource, "input changed while reading: %s", shown).WithHint("run it again when nothing else writes to that object")
}

const (
	blockBytes = 64 << 10 // minimum per read
	aheadBytes = 4 << 20  // maximum read-ahead
	cacheBytes = 8 << 20  // of recently read blocks
	partBytes  = 8 << 20  // per request of Copy
	parts      = 4        // of Copy, in parallel
	ranges     = 64       // of Prefetch, in parallel
	together   = 200      // ranges of one request: the most that Apache sends by default, in a header of less than 8 KiB
	gapBytes   = 4 << 10  // gap that is read rather than make another request
	tries      = 5        // of a request without progress
)

// firstWait is the longest pause after the first failure.
var firstWait = 100 * time.Millisecond

// Reader reads an object at any offset. It is safe for concurrent use.
type Reader struct {
	Version  string // identifies the object's version; "" if unknown
	ranges   Ranges
	shown    string // for messages, quoted
	requests atomic.Int64
	bytes    atomic.Int64

	mu     sync.Mutex // guards what follows
	kept   []span     // least recently used first
	ahead  []span     // read by Prefetch, sorted by at
	next   int64      // the byte after the last span that was read
	stride int64      // bytes of the next sequential read
}

// span is a part of the object in memory, from byte at on.
type span struct {
	at   int64
	data []byte
}

// NewReader reads an object; head is its first bytes, if already read. shown is its name in messages.
func NewReader(shown string, of Ranges, head []byte) *Reader {
	r := &Reader{ranges: of, shown: shown, stride: blockBytes}
	if len(head) > 0 {
		r.kept = []span{{0, head}}
		r.next = int64(len(head))
	}
	return r
}

// Size returns the object's size in bytes.
func (r *Reader) Size() int64 { return r.ranges.Size() }

// Traffic returns the numbers of requests made and bytes read.
func (r *Reader) Traffic() (requests, bytes int64) { return r.requests.Load(), r.bytes.Load() }

// ReadAt reads len(p) bytes at off. The error is io.EOF at the end of the object, otherwise fault.Resource.
func (r *Reader) ReadAt(p []byte, off int64) (n int, err error) {
	left := max(0, r.Size()-off)
	if off < 0 || left == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > left {
		n, err = r.ReadAt(p[:left], off)
		if err == nil {
			err = io.EOF
		}
		return n, err
	}
	if len(p) >= aheadBytes {
		return len(p), r.Copy(buffer{p, off}, off, int64(len(p)), nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for n < len(p) {
		s, err := r.spanAt(off+int64(n), int64(len(p)-n))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], s.data[off+int64(n)-s.at:])
	}
	return n, nil
}

// spanAt returns a span that contains byte at. If none is cached, it reads at least n bytes. The caller holds r.mu.
func (r *Reader) spanAt(at, n int64) (span, error) {
	if i := sort.Search(len(r.ahead), func(i int) bool { return r.ahead[i].at > at }) - 1; i >= 0 && at < r.ahead[i].at+int64(len(r.ahead[i].data)) {
		return r.ahead[i], nil
	}
	for i := len(r.kept) - 1; i >= 0; i-- {
		if s := r.kept[i]; s.at <= at && at < s.at+int64(len(s.data)) {
			copy(r.kept[i:], r.kept[i+1:])
			r.kept[len(r.kept)-1] = s
			return s, nil
		}
	}
	if at != r.next {
		r.stride = blockBytes
	}
	from := at
	if tail := r.Size() - at; tail < blockBytes { // archives are read from the end
		from = max(0, r.Size()-blockBytes)
	}
	s := span{from, make([]byte, min(r.Size()-from, max(at-from+n, r.stride)))}
	if err := r.fetch(buffer{s.data, from}, from, int64(len(s.data)), nil); err != nil {
		return s, err
	}
	r.next = from + int64(len(s.data))
	r.stride = min(2*r.stride, aheadBytes)
	held := int64(len(s.data))
	for i := len(r.kept) - 1; i >= 0; i-- {
		if held += int64(len(r.kept[i].data)); held > cacheBytes {
			r.kept = r.kept[i+1:]
			break
		}
	}
	r.kept = append(r.kept, s)
	return s, nil
}

// buffer holds an object's bytes from byte at on.
type buffer struct {
	p  []byte
	at int64
}

func (b buffer) WriteAt(p []byte, off int64) (int, error) { return copy(b.p[off-b.at:], p), nil }

// Copy writes n bytes at off to the same offset of w, in large parallel parts. read, which may be nil, gets the number of bytes received.
func (r *Reader) Copy(w io.WriterAt, off, n int64, read func(bytes int)) error {
	if data := r.cached(off, n); data != nil {
		return r.keep(w, data, off)
	}
	var (
		next   atomic.Int64
		wait   sync.WaitGroup
		mu     sync.Mutex
		failed error
	)
	worker := func() {
		for {
			at := next.Add(partBytes) - partBytes
			mu.Lock()
			stop := failed != nil
			mu.Unlock()
			if at >= n || stop {
				return
			}
			if err := r.fetch(w, off+at, min(partBytes, n-at), read); err != nil {
				mu.Lock()
				if failed == nil {
					failed = err
				}
				mu.Unlock()
			}
		}
	}
	for range min(parts, (n+partBytes-1)/partBytes) {
		wait.Go(worker)
	}
	wait.Wait()
	return failed
}

// Prefetch reads small ranges [from, to) in parallel, so that ReadAt finds them in memory: the headers of an archive's members. They are
// kept until the next Prefetch; ReadAt reads what exceeds the cache.
func (r *Reader) Prefetch(wanted [][2]int64) error {
	ahead := r.joined(wanted)
	alone := ahead[r.prefetchTogether(ahead):]
	errs := make([]error, len(alone))
	var (
		next atomic.Int64
		wait sync.WaitGroup
	)
	for range min(ranges, len(alone)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(alone)); i = next.Add(1) - 1 {
				s := alone[i]
				errs[i] = r.fetch(buffer{s.data, s.at}, s.at, int64(len(s.data)), nil)
			}
		})
	}
	wait.Wait()
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead = ahead
	return nil
}

// prefetchTogether fills the first spans by requests of several ranges, and returns how many: none, if the server sends one range at a time.
func (r *Reader) prefetchTogether(spans []span) (filled int) {
	many, ok := r.ranges.(manyRanges)
	for ok && filled < len(spans)-1 {
		some := spans[filled:min(filled+together, len(spans))]
		asked, err := many.readSpans(some)
		if asked {
			r.requests.Add(1)
		}
		if errors.As(err, new(*Busy)) {
			pause(1, err)
		}
		if err != nil { // single requests say what is wrong
			break
		}
		filled += len(some)
		for _, s := range some {
			r.bytes.Add(int64(len(s.data)))
		}
	}
	return filled
}

// joined sorts the ranges, drops cached ones, and merges those with small gaps.
func (r *Reader) joined(wanted [][2]int64) (all []span) {
	sorting.By(wanted, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	var from, to, total int64
	add := func() {
		if to > from && total <= cacheBytes && r.cached(from, to-from) == nil {
			all = append(all, span{from, make([]byte, to-from)})
		}
	}
	for _, w := range wanted {
		begin := max(0, w[0])
		end := min(w[1], r.Size())
		if begin > to+gapBytes || to == from {
			add()
			from = begin
			to = begin
		}
		total += max(0, end-to)
		to = max(to, end)
	}
	add()
	return all
}

// cached returns n bytes at off if all of them are in memory, otherwise nil.
func (r *Reader) cached(off, n int64) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.kept {
		if from := off - s.at; from >= 0 && from+n <= int64(len(s.data)) {
			return s.data[from : from+n]
		}
	}
	return nil
}

// keep writes bytes of the object to the cache file.
func (r *Reader) keep(w io.WriterAt, data []byte, off int64) error {
	if _, err := w.WriteAt(data, off); err != nil {
		return fault.New(fault.Resource, "cannot cache %s in a temporary file: %v", r.shown, fault.Cause(err)).
			WithHint("set TMPDIR to a writable folder with free space")
	}
	return nil
}

// fetch reads n bytes at off, and resumes after a broken connection, until too many in a row break after a few bytes.
func (r *Reader) fetch(w io.WriterAt, off, n int64, read func(bytes int)) error {
	block := make([]byte, min(n, 256<<10))
	for failures := 0; n > 0; {
		got, err := r.once(w, off, n, block, read)
		off = off + got
		n = n - got
		if n == 0 {
			break
		}
		var f *fault.Error
		if errors.As(err, &f) {
			return f
		}
		if failures++; got >= minBytes {
			failures = 1
		}
		if failures == tries || errors.As(err, new(*Slow)) {
			return fault.New(fault.Resource, "cannot read %s at byte %d: %v", r.shown, off, reason(err))
		}
		pause(failures, err)
	}
	return nil
}

// once makes one request, and writes got bytes to w.
func (r *Reader) once(w io.WriterAt, off, n int64, block []byte, read func(bytes int)) (got int64, err error) {
	r.requests.Add(1)
	body, err := r.ranges.Open(off, n)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	for got < n {
		k, err := body.Read(block[:min(int64(len(block)), n-got)])
		r.bytes.Add(int64(k))
		if k > 0 {
			if err := r.keep(w, block[:k], off+got); err != nil {
				return got, err
			}
			if got += int64(k); read != nil {
				read(k)
			}
		}
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return got, err
		}
	}
	return got, nil
}

// Busy is a response that asks to retry later.
type Busy struct {
	Why   string
	After time.Duration // that the response asked for; 0 for none
}

func (b *Busy) Error() string { return b.Why }

// maxAfter bounds the wait that a server may ask for.
const maxAfter = 30 * time.Second

// pause waits, longer after each failure, for a random time. (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: full
// jitter)
func pause(failures int, err error) {
	wait := time.Duration(rand.Int64N(int64(firstWait << (failures - 1))))
	var busy *Busy
	if errors.As(err, &busy) {
		wait = max(wait, min(busy.After, maxAfter))
	}
	time.Sleep(wait)
}

// reason describes the failure, without the URL that the http package adds.
func reason(err error) string {
	cause := fault.Cause(err)
	if cause == nil || cause == io.ErrUnexpectedEOF || cause == io.EOF {
		return "the connection broke"
	}
	return fmt.Sprint(cause)
}
