package many

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Journal remembers of what the results in a folder were made, so that a run that is repeated need not read them. It is files in the
// folder .tlayout of the destination, one for each share, of lines
//
//	TOKEN SIZE MTIME NAME
//
// The token is a hash of the source's size and time of modification, and of the plan. SIZE and MTIME (nanoseconds) are those of the
// result: a line that does not fit them any more says nothing. There may be several lines about a name, in any order: programs that replace
// a result at once do not know whose came last. Of two that fit, and say different things, neither is believed.
//
// The journal is never needed: a result without a line, because the program was killed, or the folder was copied without its times, is
// compared with what would be made, byte by byte. So lines are written in batches, and never synced.
type Journal struct {
	seed  maphash.Seed
	known []line // sorted by name

	mu      sync.Mutex // guards what follows
	path    string
	file    *os.File // nil until the first line
	share   Share
	pending []byte
	written time.Time // of the last batch
	err     error
}

// line is a line of the journal, hashed: name, size and time, token.
type line struct{ name, when, token uint64 }

// JournalFolder is the name of the journal's folder in the destination.
const JournalFolder = ".tlayout"

// OpenJournal reads the journal of a folder, which need not exist, as far as it may concern a share.
func OpenJournal(folder string, s Share) *Journal {
	j := &Journal{seed: maphash.MakeSeed(), path: filepath.Join(folder, JournalFolder), share: s.All(), written: time.Now()}
	entries, _ := os.ReadDir(j.path)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".made") && j.concerns(name) {
			j.read(filepath.Join(j.path, name))
		}
	}
	slices.SortFunc(j.known, func(a, b line) int { return cmp.Compare(a.name, b.name) })
	return j
}

// concerns reports whether a file may have lines about the share: not if it is that of another share of as many.
func (j *Journal) concerns(name string) bool {
	var k, n int
	if _, err := fmt.Sscanf(name, "%d-of-%d", &k, &n); err != nil {
		return true
	}
	return n != j.share.Count || k == j.share.Index
}

func (j *Journal) read(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 1<<16), 4*maxName)
	for lines.Scan() {
		if token, when, name, ok := cutFields(lines.Bytes()); ok {
			j.known = append(j.known, line{maphash.Bytes(j.seed, name), maphash.Bytes(j.seed, when), maphash.Bytes(j.seed, token)})
		}
	}
}

// cutFields splits a line: SIZE and MTIME stay together.
func cutFields(text []byte) (token, when, name []byte, ok bool) {
	token, rest, _ := bytes.Cut(text, []byte(" "))
	size := bytes.IndexByte(rest, ' ')
	if size <= 0 || len(token) == 0 {
		return nil, nil, nil, false
	}
	mtime := bytes.IndexByte(rest[size+1:], ' ')
	end := size + 1 + mtime
	if mtime <= 0 || end+1 == len(rest) {
		return nil, nil, nil, false
	}
	return token, rest[:end], rest[end+1:], true
}

// appendWhen is the second field of a line, and the third.
func appendWhen(text []byte, size, mtime int64) []byte {
	return strconv.AppendInt(append(strconv.AppendInt(text, size, 10), ' '), mtime, 10)
}

// appendName is the last field: quoted, if it would not be the rest of a line.
func appendName(text []byte, name string) []byte {
	if strings.ContainsAny(name, "\n\r") || strings.HasPrefix(name, `"`) {
		return strconv.AppendQuote(text, name)
	}
	return append(text, name...)
}

// Has reports whether the result of that name, size and time of modification was made of the same.
func (j *Journal) Has(name string, token [16]byte, size, mtime int64) bool {
	var buffer [160]byte
	key := maphash.Bytes(j.seed, appendName(buffer[:0], name))
	when, made := maphash.Bytes(j.seed, appendWhen(buffer[:0], size, mtime)), maphash.Bytes(j.seed, hex.AppendEncode(buffer[:0], token[:]))
	known := false
	at, _ := slices.BinarySearchFunc(j.known, key, func(l line, key uint64) int { return cmp.Compare(l.name, key) })
	for ; at < len(j.known) && j.known[at].name == key; at++ {
		if l := j.known[at]; l.when == when {
			if l.token != made {
				return false
			}
			known = true
		}
	}
	return known
}

// batch is how many bytes of lines are written at once, or whatever there is after a second.
const batch = 64 << 10

// Add adds a line.
func (j *Journal) Add(name string, token [16]byte, size, mtime int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append(hex.AppendEncode(j.pending, token[:]), ' ')
	j.pending = append(appendName(append(appendWhen(j.pending, size, mtime), ' '), name), '\n')
	if len(j.pending) >= batch || time.Since(j.written) > time.Second {
		j.flush()
	}
}

// Close writes what is left. The error is the first one of writing.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	if j.file != nil {
		j.file.Close() //nolint:errcheck // the journal is not needed
		j.file = nil
	}
	return j.err
}

// flush writes the pending lines with one call, so that a program that is killed leaves whole lines, or a last one without its end.
func (j *Journal) flush() {
	if len(j.pending) == 0 {
		return
	}
	if j.file == nil && j.err == nil {
		j.begin()
	}
	if j.err == nil {
		if _, err := j.file.Write(j.pending); err != nil {
			j.fail(err)
		}
	}
	j.pending, j.written = j.pending[:0], time.Now()
}

// begin opens the file of the share, or one of its own while another program has that.
func (j *Journal) begin() {
	if err := os.MkdirAll(j.path, 0o777); err != nil {
		j.fail(err)
		return
	}
	name := filepath.Join(j.path, j.share.fileName())
	file, err := os.OpenFile(name+".made", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil && !lock(file) {
		file.Close() //nolint:errcheck // nothing was written
		file, err = os.OpenFile(name+"-"+rand.Text()[:10]+".made", os.O_RDWR|os.O_CREATE|os.O_APPEND|os.O_EXCL, 0o666)
	}
	if err != nil {
		j.fail(err)
		return
	}
	j.file = file
	var last [1]byte
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		if _, err := file.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			j.pending = append([]byte{'\n'}, j.pending...) // after a line without its end
		}
	}
}

func (j *Journal) fail(err error) {
	if j.err == nil {
		j.err = fault.New(fault.Resource, "cannot write the journal in %s, so the next run compares results byte by byte: %v", words.Quoted(j.path), fault.Cause(err))
	}
}
