// Package promise counts how often tests try the promises of docs/reliability.md, and how often they fail. Only tests import it.
//
//  1. List has the promises, and for each the trials, with the test that makes them.
//  2. That test calls Tried, or Count and then Try for each trial. If it cannot run, Needs records the reason and skips it.
//  3. With TLAYOUT_TEST_PROMISES=DIR the counts are appended to a file in DIR, by any number of processes.
//  4. TestReport turns DIR into the table, and fails if a trial failed, or was possible but not made.
//
// Witnesses is the same for comparisons with other libraries: their tests call Compared, and Differ for cases that differ for a listed
// reason.
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

// Promise is a guarantee to users.
type Promise struct {
	ID     string // B1
	Text   string // a sentence; docs/reliability.md has the details
	Trials []Trial
}

// Trial is one way to try a promise.
type Trial struct {
	ID   string // B4/kill-call: the promise and a name
	How  string // what one trial does
	Test string // package and name of the test
}

// foldersVariable names the folder for records.
const foldersVariable = "TLAYOUT_TEST_PROMISES"

// record is one line of the records: the number of trials of a test, the reason why it made none, or the number of cases that differ for a
// reason.
type record struct {
	ID      string `json:"id"`
	Tried   int    `json:"tried"`
	Failed  int    `json:"failed"`
	Why     string `json:"why,omitempty"`
	Witness string `json:"witness,omitempty"` // library compared with, and its version
	Reason  string `json:"reason,omitempty"`  // for a difference
	Differ  int    `json:"differ,omitempty"`
	Date    string `json:"date,omitempty"` // of a comparison
}

// Tried records the trials of t and how many failed, and fails t if any did. Several calls add up.
func Tried(t testing.TB, id string, tried, failed int) {
	t.Helper()
	add(t, record{ID: id, Tried: tried, Failed: failed})
}

// Compared is Tried for a comparison with a witness, a library and its version, that started at began.
func Compared(t testing.TB, id, witness string, cases, mismatches int, began time.Time) {
	t.Helper()
	add(t, record{ID: id, Tried: cases, Failed: mismatches, Witness: witness, Date: began.UTC().Format(time.DateOnly)})
}

// Differ records how many cases of a comparison with a witness differ for a reason that the test lists.
func Differ(t testing.TB, id, witness, reason string, cases int) {
	t.Helper()
	add(t, record{ID: id, Witness: witness, Reason: reason, Differ: cases})
}

func add(t testing.TB, r record) {
	t.Helper()
	if find(r.ID) == nil {
		t.Errorf("no row has the ID %s", r.ID)
		return
	}
	if r.Failed > 0 {
		t.Errorf("%s: %d of %d trials failed", r.ID, r.Failed, r.Tried)
	}
	write(t, r)
}

// find returns the trial with an ID.
func find(id string) *Trial {
	for _, p := range slices.Concat(List, Witnesses) {
		if i := slices.IndexFunc(p.Trials, func(trial Trial) bool { return trial.ID == id }); i >= 0 {
			return &p.Trials[i]
		}
	}
	return nil
}

// write appends a record in one write, so that records of several processes do not interleave.
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

// Sample returns every k-th element of all, including the first; all of them if random.Thorough.
func Sample[T any](all []T, k int) []T {
	if random.Thorough() {
		return all
	}
	var sample []T
	for i := 0; i < len(all); i += k {
		sample = append(sample, all[i])
	}
	return sample
}

// Counter counts the trials of a test whose subtests may run in parallel.
type Counter struct {
	id            string
	mu            sync.Mutex
	tried, failed int
	how           map[string]int
}

// Count starts counting. The counts are logged and recorded when t and its subtests end; if t failed, at least one trial counts as failed.
func Count(t testing.TB, id string) *Counter {
	t.Helper()
	c := &Counter{id: id, how: map[string]int{}}
	t.Cleanup(func() {
		t.Helper()
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.Failed() && c.failed == 0 {
			c.failed = 1
			c.tried = max(c.tried, 1)
		}
		t.Logf("%s: %d trials, %d failed: %v", id, c.tried, c.failed, c.how)
		if t.Skipped() && c.tried == 0 {
			return // Needs recorded why
		}
		Tried(t, id, c.tried, c.failed)
	})
	return c
}

// Try counts one trial, and how it ended, for the log. Any problem makes it a failure.
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

// Needs skips a test with an unmet need, and records the reason. With TLAYOUT_TEST_REQUIRE_FAULTS=1 this is a failure, except for needs
// that the machine cannot meet.
func Needs(t testing.TB, needs ...Need) {
	t.Helper()
	for _, n := range needs {
		n.found(t, n.probe())
	}
}

// Disk fails or skips a test like Needs if err reports that no file system here reads files from disk.
func Disk(t testing.TB, err error) {
	t.Helper()
	Need{name: "a file system that reads files from disk, TMPDIR or /var/tmp", optional: notLinux}.found(t, err)
}

// Made fails a test whose files, links and folders cannot be made. On systems other than Linux it skips the test.
func Made(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if notLinux() {
		t.Skip(err)
	}
	t.Fatal(err)
}

// found fails or skips the test unless the need is met.
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
