// Package promise counts how often tests try what docs/reliability.md promises, and how often it fails. Only tests import it.
//
//  1. List has the promises, and for each the trials, with the test that makes them.
//  2. That test calls Tried, or Count and then Try for each trial. If it cannot run, Needs records the reason and skips it.
//  3. With TLAYOUT_TEST_PROMISES=DIR the counts are appended to a file in DIR, by any number of processes.
//  4. TestReport turns DIR into the table, and fails if something failed, or was not tried although it can be.
//
// Witnesses is the same for comparisons with libraries that others wrote: their tests call Compared, and Differ for cases that differ
// for a reason on a list.
package promise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/random"
)

// Promise is what users may rely on.
type Promise struct {
	ID     string // B1
	Text   string // a sentence, which docs/reliability.md says in full
	Trials []Trial
}

// Trial is a way in which a promise is tried.
type Trial struct {
	ID   string // B4/kill-call: the promise, and a name
	How  string // what one trial is
	Test string // package and name of the test
}

// foldersVariable names the folder for records.
const foldersVariable = "TLAYOUT_TEST_PROMISES"

// record is a line of the records: that a test made so many trials, or why it made none, or that so many differ for a reason.
type record struct {
	ID      string `json:"id"`
	Tried   int    `json:"tried"`
	Failed  int    `json:"failed"`
	Why     string `json:"why,omitempty"`
	Witness string `json:"witness,omitempty"` // the library compared with, and its version
	Reason  string `json:"reason,omitempty"`  // of a difference
	Differ  int    `json:"differ,omitempty"`
	Date    string `json:"date,omitempty"` // of a comparison
}

// Tried records that t made so many trials, and that some of them failed, which fails t too. Several calls add up.
func Tried(t testing.TB, id string, tried, failed int) {
	t.Helper()
	add(t, record{ID: id, Tried: tried, Failed: failed})
}

// Compared is Tried for a comparison with a witness, a library and its version, that began at that time.
func Compared(t testing.TB, id, witness string, cases, mismatches int, began time.Time) {
	t.Helper()
	add(t, record{ID: id, Tried: cases, Failed: mismatches, Witness: witness, Date: began.UTC().Format(time.DateOnly)})
}

// Differ records that so many of the cases of a comparison with a witness differ for a reason that is on a list of the test.
func Differ(t testing.TB, id, witness, reason string, cases int) {
	t.Helper()
	add(t, record{ID: id, Witness: witness, Reason: reason, Differ: cases})
}

func add(t testing.TB, r record) {
	t.Helper()
	if find(r.ID) == nil {
		t.Errorf("%s is in no row of the lists", r.ID)
		return
	}
	if r.Failed > 0 {
		t.Errorf("%s: %d of %d trials failed", r.ID, r.Failed, r.Tried)
	}
	write(t, r)
}

// find returns the trial of that ID.
func find(id string) *Trial {
	for _, p := range slices.Concat(List, Witnesses) {
		if i := slices.IndexFunc(p.Trials, func(trial Trial) bool { return trial.ID == id }); i >= 0 {
			return &p.Trials[i]
		}
	}
	return nil
}

// write appends a record in one write, so that processes do not mix theirs.
func write(t testing.TB, r record) {
	t.Helper()
	dir := os.Getenv(foldersVariable)
	if dir == "" {
		return
	}
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(dir, recordsName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

const recordsName = "records.jsonl"

// Sample is every k-th of all, the first among them; all of them if random.Thorough.
func Sample[T any](all []T, k int) []T {
	if random.Thorough() {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += k {
		some = append(some, all[i])
	}
	return some
}

// Counter counts the trials of a test whose subtests may run side by side.
type Counter struct {
	id            string
	mu            sync.Mutex
	tried, failed int
	how           map[string]int
}

// Count begins to count. The counts are logged and recorded when t and its subtests end; if t failed, so did at least one trial.
func Count(t testing.TB, id string) *Counter {
	t.Helper()
	c := &Counter{id: id, how: map[string]int{}}
	t.Cleanup(func() {
		t.Helper()
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.Failed() && c.failed == 0 {
			c.failed, c.tried = 1, max(c.tried, 1)
		}
		t.Logf("%s: %d trials, %d failed: %v", id, c.tried, c.failed, c.how)
		if t.Skipped() && c.tried == 0 {
			return // Needs has recorded why
		}
		Tried(t, id, c.tried, c.failed)
	})
	return c
}

// Try counts one trial, which ended in a way that the log counts. Problems make it a failure.
func (c *Counter) Try(t testing.TB, what, ended string, problems ...string) {
	t.Helper()
	c.mu.Lock()
	c.tried++
	c.how[ended]++
	if len(problems) > 0 {
		c.failed++
	}
	c.mu.Unlock()
	for _, p := range problems {
		t.Errorf("%s: %s", what, p)
	}
}

// Needs skips a test where something that it needs is missing, and records the reason. Where the environment says that faults must be
// tried, TLAYOUT_TEST_REQUIRE_FAULTS=1, this is a failure, except for what that machine cannot have.
func Needs(t testing.TB, needs ...Need) {
	t.Helper()
	for _, n := range needs {
		n.found(t, n.probe())
	}
}

// Disk fails or skips a test as Needs does if err says that no file system here reads files from disk.
func Disk(t testing.TB, err error) {
	t.Helper()
	Need{name: "a file system that reads files from disk, TMPDIR or /var/tmp", optional: notLinux}.found(t, err)
}

// Made fails a test whose files, links and folders cannot be made. Where they are not those of Linux, it is skipped.
func Made(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case notLinux():
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// found fails or skips the test unless what it needs is there.
func (n Need) found(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		why := fmt.Sprintf("needs %s: %v", n.name, err)
		test, _, _ := strings.Cut(t.Name(), "/")
		for _, p := range slices.Concat(List, Witnesses) {
			for _, trial := range p.Trials {
				if strings.HasSuffix(trial.Test, "."+test) {
					write(t, record{ID: trial.ID, Why: why})
				}
			}
		}
		if must, _ := strconv.ParseBool(os.Getenv("TLAYOUT_TEST_REQUIRE_FAULTS")); must && !n.optional() {
			t.Fatal(why)
		}
		t.Skip(why)
	}
}
