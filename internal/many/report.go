package many

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/words"
)

// The schemas of a report's lines: one for each unit, and the summary at the end.
const (
	UnitSchema  = "tlayout/unit/v1"
	ShareSchema = "tlayout/share/v1"
)

// Tally counts outcomes and writes the report of a share, if there is to be one. The report appears whole, at its end.
type Tally struct {
	mu      sync.Mutex // guards all
	file    *publish.File
	out     *bufio.Writer
	start   time.Time
	summary Summary
	ended   bool
	err     error
}

// NewTally begins to count the units of a share. folder is that of reports; "" for none.
func NewTally(folder string, s Share, units int, dryRun bool) (*Tally, error) {
	s = s.All()
	t := &Tally{start: time.Now(), summary: Summary{Schema: ShareSchema, Share: s.Index, Shares: s.Count, Units: units, DryRun: dryRun, Failures: []Record{}, Warnings: []string{}}}
	if folder == "" {
		return t, nil
	}
	if !store.Is(folder) {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, fault.New(fault.Resource, "cannot make the folder %s: %v", words.Quoted(folder), fault.Cause(err))
		}
	}
	var err error
	if t.file, err = publish.Create(store.Join(folder, "shard-"+s.fileName()+".jsonl"), publish.Options{Replace: true}); err != nil {
		return nil, err
	}
	t.out = bufio.NewWriterSize(t.file, 1<<16)
	return t, nil
}

// Add counts an outcome and writes its line.
func (t *Tally) Add(o Outcome) {
	var text []byte
	if t.out != nil {
		text, _ = json.Marshal(o.Record()) // a struct of texts and numbers
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.summary.add(o)
	if t.out != nil {
		t.out.Write(append(text, '\n')) //nolint:errcheck // End reports it
	}
}

// End writes the summary and publishes the report. It does so once; interrupted says that units are missing.
func (t *Tally) End(interrupted bool) (Summary, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return t.summary, t.err
	}
	t.ended = true
	s := &t.summary
	s.Seconds, s.Interrupted = time.Since(t.start).Seconds(), interrupted
	s.sortFailures()
	if t.file == nil {
		return *s, nil
	}
	line := *s
	line.Failures = []Record{} // they have lines of their own
	text, _ := json.Marshal(line)
	t.out.Write(append(text, '\n')) //nolint:errcheck // Flush reports it
	if t.err = t.out.Flush(); t.err == nil {
		t.err = t.file.Commit()
	}
	t.file.Discard()
	return *s, t.err
}

// Total is the sum of the reports in a folder.
type Total struct {
	Schema      string   `json:"schema"`
	Shares      int      `json:"shares"`
	Missing     []int    `json:"missing_shares"`     // shares without a report
	Interrupted []int    `json:"interrupted_shares"` // shares of which units are missing
	Units       int      `json:"units"`
	Made        int      `json:"made_units"`
	Skipped     int      `json:"skipped_units"`
	Failed      int      `json:"failed_units"`
	Bytes       int64    `json:"bytes"`
	Seconds     float64  `json:"seconds"`     // of all shares together
	MaxSeconds  float64  `json:"max_seconds"` // of the slowest share
	ExitCode    int      `json:"exit_code"`
	Failures    []Record `json:"failures"` // the first ones
	Warnings    []string `json:"warnings"`
}

// TotalSchema is that of Total.
const TotalSchema = "tlayout/report/v1"

// Sum sums the reports in a folder.
func Sum(folder string) (*Total, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, failure(folder, err)
	}
	t := &Total{Schema: TotalSchema, Missing: []int{}, Interrupted: []int{}, Failures: []Record{}, Warnings: []string{}}
	seen := map[int]bool{}
	for _, e := range entries {
		s, ok := shareOfReport(e.Name())
		switch {
		case !ok:
			continue
		case t.Shares != 0 && t.Shares != s.Count:
			return nil, fault.New(fault.Usage, "%s has reports of %d shares and of %d", words.Quoted(folder), t.Shares, s.Count).
				WithHint("remove those of the older run, or use a folder for each")
		}
		t.Shares, seen[s.Index] = s.Count, true
		if err := t.read(filepath.Join(folder, e.Name()), s); err != nil {
			return nil, err
		}
	}
	if len(seen) == 0 {
		return nil, fault.New(fault.Resource, "%s has no reports", words.Quoted(folder)).WithHint("tlayout convert … --report %s writes them", words.Shell(words.Quote(folder)))
	}
	for k := range t.Shares {
		if !seen[k] {
			t.Missing = append(t.Missing, k)
		}
	}
	if len(t.Missing)+len(t.Interrupted) > 0 {
		t.ExitCode = int(Worst(fault.Class(t.ExitCode), fault.Resource))
	}
	return t, nil
}

// shareOfReport reads shard-00012-of-01000.jsonl.
func shareOfReport(name string) (s Share, ok bool) {
	_, err := fmt.Sscanf(name, "shard-%d-of-%d.jsonl", &s.Index, &s.Count)
	return s, err == nil && s.Index >= 0 && s.Index < s.Count && s.Count <= maxShares && name == "shard-"+s.fileName()+".jsonl"
}

// maxLine bounds a line of a report, in bytes.
const maxLine = 1 << 20

// read adds the report of a share.
func (t *Total) read(path string, s Share) error {
	file, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return failure(path, err)
	}
	defer file.Close()
	bad := func(n int, what string) error {
		return fault.New(fault.Malformed, "%s, line %d: %s", words.Quoted(path), n, what).WithHint("run that share again, which replaces its report")
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	counted, n, ended := Summary{}, 0, false
	for lines.Scan() {
		n++
		var kind struct {
			Schema string `json:"schema"`
		}
		if ended || json.Unmarshal(lines.Bytes(), &kind) != nil {
			return bad(n, "not a line of a report")
		}
		switch kind.Schema {
		case UnitSchema:
			var r Record
			if json.Unmarshal(lines.Bytes(), &r) != nil || !slices.Contains([]Result{Made, Skipped, Failed}, r.Outcome) {
				return bad(n, "not the line of a unit")
			}
			t.addRecord(r, &counted)
		case ShareSchema:
			var sum Summary
			if json.Unmarshal(lines.Bytes(), &sum) != nil || sum.Share != s.Index || sum.Shares != s.Count {
				return bad(n, "not the summary of share "+s.String())
			}
			if sum.Made != counted.Made || sum.Skipped != counted.Skipped || sum.Failed != counted.Failed {
				return bad(n, fmt.Sprintf("it counts %d units, and has lines of %d", sum.Done(), counted.Done()))
			}
			t.addSummary(sum)
			ended = true
		default:
			return bad(n, "its schema is "+words.Quoted(words.Shorten(kind.Schema)))
		}
	}
	if lines.Err() != nil {
		return bad(n+1, "too long")
	}
	if !ended {
		return bad(n+1, "the summary is missing")
	}
	return nil
}

func (t *Total) addRecord(r Record, counted *Summary) {
	switch r.Outcome {
	case Made:
		counted.Made++
	case Skipped:
		counted.Skipped++
	case Failed:
		counted.Failed++
		t.ExitCode = int(Worst(fault.Class(t.ExitCode), fault.Class(r.ExitCode)))
		if len(t.Failures) < maxFailures {
			t.Failures = append(t.Failures, r)
		}
	}
}

func (t *Total) addSummary(s Summary) {
	t.Units += s.Units
	t.Made, t.Skipped, t.Failed = t.Made+s.Made, t.Skipped+s.Skipped, t.Failed+s.Failed
	t.Bytes += s.Bytes
	t.Seconds += s.Seconds
	t.MaxSeconds = max(t.MaxSeconds, s.Seconds)
	if s.Interrupted {
		t.Interrupted = append(t.Interrupted, s.Share)
	}
	for _, w := range s.Warnings {
		if !slices.Contains(t.Warnings, w) && len(t.Warnings) < maxFailures {
			t.Warnings = append(t.Warnings, strings.TrimSpace(w))
		}
	}
}
