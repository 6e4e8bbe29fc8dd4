package many

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
)

// Every unit is in exactly one share, whatever their number; a list that grows, in whatever order, moves none; and the hash is FNV-1a of
// 64 bits, as its authors' vectors have it, so that other programs can say which share a name is in.
func TestShares(t *testing.T) {
	for text, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := hashOf([]byte(text)); got != want {
			t.Errorf("%q is %#x, expected %#x", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé/ ]{1,12}\.npy`), 1, 40, rapid.ID[string]).Draw(t, "names")
		count := rapid.IntRange(1, 50).Draw(t, "shares")
		grown := append(slices.Clone(names), rapid.SliceOfN(rapid.StringMatching(`[A-Z]{1,5}`), 0, 10).Draw(t, "more")...)
		slices.Reverse(grown)
		var all, later List
		for _, name := range names {
			all.Add(Unit{Name: "in/" + name, Rel: name, Size: int64(len(name))})
		}
		for _, name := range grown {
			later.Add(Unit{Name: "other/" + name, Rel: name})
		}
		shares := map[string]int{}
		for k := range count {
			for u := range all.Take(Share{k, count}).All() {
				if before, twice := shares[u.Rel]; twice {
					t.Fatalf("%q is in shares %d and %d of %d", u.Rel, before, k, count)
				}
				shares[u.Rel] = k
			}
			for u := range later.Take(Share{k, count}).All() {
				if slices.Contains(names, u.Rel) && Of(u.Rel, count) != k {
					t.Fatalf("%q moved", u.Rel)
				}
			}
		}
		for _, name := range names {
			h := fnv.New64a()
			h.Write([]byte(name))
			if k, ok := shares[name]; !ok || k != Of(name, count) || uint64(k) != h.Sum64()%uint64(count) {
				t.Fatalf("%q is in share %d of %d (%t), expected %d", name, k, count, ok, h.Sum64()%uint64(count))
			}
		}
	})
}

// A list returns what it was given, in classes of sizes, the largest first.
func TestList(t *testing.T) {
	var l List
	for i := range 3 * blockLen {
		l.Add(Unit{fmt.Sprintf("in/d/%05d.npy", i), fmt.Sprintf("d/%05d.npy", i), int64(i) << 12})
	}
	l.Add(Unit{"s3://b/k.npy?region=eu", "k.npy", 7})
	if u := l.At(5000); u != (Unit{"in/d/05000.npy", "d/05000.npy", 5000 << 12}) || l.Len() != 3*blockLen+1 {
		t.Fatalf("%+v of %d", u, l.Len())
	}
	want := l.Names()
	l.Order()
	if u := l.At(l.Len() - 1); u != (Unit{"s3://b/k.npy?region=eu", "k.npy", 7}) || l.At(0).Size != 8192<<12 {
		t.Fatalf("first %+v, last %+v", l.At(0), u)
	}
	got := l.Names()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatal("the order loses units")
	}
}

// Names are listed in their order; a folder has the sources below it, without hidden ones and the folder of results; patterns and lists
// keep paths; what leads out of a folder does not.
func TestExpand(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"in/b.npy", "in/a.npz", "in/x.txt", "in/.hidden.npy", "in/.git/x.npy", "in/sub/c.npy", "in/out/r.npy", "@at.npy", "odd[1].npy", "in/w.bin"} {
		write(t, name, "content")
	}
	if err := os.Symlink("../b.npy", "in/sub/link.npy"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("..", "in/sub/loop"); err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs("in/b.npy")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "list.txt", "in/b.npy\r\n\n"+abs+"\n../in/none.npy\nin/sub\nhttps://host/a/b.npy?key=1\n")
	for _, c := range []struct {
		args, want string
		o          Options
	}{
		{"in", "a.npz b.npy out/r.npy sub/c.npy sub/link.npy", Options{}},
		{"in/", "a.npz b.npy sub/c.npy sub/link.npy", Options{Out: "in/out"}},
		{"in/sub", "c.npy link.npy", Options{Any: true}},
		{"in/b.npy gone.npy", "b.npy gone.npy", Options{}},
		{"in/*.npy", "b.npy", Options{}},
		{"in/s*", "sub/c.npy sub/link.npy", Options{}},
		{"*/*/c.npy", "in/sub/c.npy", Options{}},
		{"none*.npy", "none*.npy", Options{}},
		{"in/[", "[", Options{}},
		{"odd[1].npy", "odd[1].npy", Options{}},
		{"w.npz:conv*", "w.npz:conv*", Options{}},
		{"@at.npy", "@at.npy", Options{}},
		{"@list.txt", "in/b.npy " + strings.TrimPrefix(abs, "/") + " in/none.npy in/sub/c.npy in/sub/link.npy a/b.npy", Options{}},
		{"@-", "in/b.npy y\nz.npy", Options{Null: true, Stdin: strings.NewReader("in/b.npy\x00y\nz.npy")}},
	} {
		l, err := Expand(strings.Fields(c.args), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		var got []string
		for u := range l.All() {
			got = append(got, u.Rel)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.args, strings.Join(got, " "), c.want)
		}
	}
	for args, want := range map[string]fault.Class{"@none.txt": fault.Resource} {
		if _, err := Expand([]string{args}, Options{}); fault.ClassOf(err) != want || err == nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := Expand([]string{"in"}, Options{Out: "in"}); fault.ClassOf(err) != fault.Usage {
		t.Errorf("a folder into itself: %v", err)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Array jobs say their share; two kinds, none, gaps and misspelt numbers are refused.
func TestFromEnvironment(t *testing.T) {
	slurm := "SLURM_ARRAY_TASK_ID=%d SLURM_ARRAY_TASK_MIN=%d SLURM_ARRAY_TASK_COUNT=%d SLURM_ARRAY_TASK_STEP=%d"
	for _, c := range []struct{ env, want string }{
		{fmt.Sprintf(slurm, 0, 0, 8, 1), "0/8"},
		{fmt.Sprintf(slurm, 11, 5, 4, 3), "2/4"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=8", "7/8"},
		{fmt.Sprintf(slurm, 12, 5, 4, 3), "none of 4"},
		{fmt.Sprintf(slurm, 8, 1, 3, 1), "none of 3"},
		{fmt.Sprintf(slurm, 7, 3, 2, 4) + " TLAYOUT_SHARDS=100", "7/100"},
		{"SLURM_ARRAY_TASK_ID=7 TLAYOUT_SHARDS=7", "no share 7 of 7"},
		{"JOB_COMPLETION_INDEX=3 TLAYOUT_SHARDS=4", "3/4"},
		{"JOB_COMPLETION_INDEX=3", "does not say how many"},
		{"JOB_COMPLETION_INDEX=3 TLAYOUT_SHARDS=x", "not a number"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=0 AWS_BATCH_JOB_ARRAY_SIZE=2", "0/2"},
		{"BATCH_TASK_INDEX=1 BATCH_TASK_COUNT=2", "1/2"},
		{"CLOUD_RUN_TASK_INDEX=4 CLOUD_RUN_TASK_COUNT=5", "4/5"},
		{"CLOUD_RUN_TASK_INDEX=4", "CLOUD_RUN_TASK_COUNT is not set"},
		{"CLOUD_RUN_TASK_INDEX=0 CLOUD_RUN_TASK_COUNT=5 BATCH_TASK_INDEX=1 BATCH_TASK_COUNT=2", "both set"},
		{"", "no array job"},
	} {
		s, err := FromEnvironment(func(name string) (string, bool) {
			for _, v := range strings.Fields(c.env) {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value, true
				}
			}
			return "", false
		})
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || err != nil && fault.ClassOf(err) != fault.Usage {
			t.Errorf("%q: %s, expected %s", c.env, got, c.want)
		}
	}
	for _, text := range []string{"", "1", "1/0", "2/2", "-1/2", "a/2", "1/2/3", "0/1000001"} {
		if s, err := ParseShare(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// A journal knows every line about a result, in whatever file and order, also after a line that a kill cut short; a result or a source that
// changed is not known, nor is one of which two lines say different things.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	token := [16]byte{1, 2, 3}
	odd := []string{"plain.npy", "two\nlines.npy", `"quoted".npy`, "ünïcode \xff.npy", "a b.npy"}
	first := OpenJournal(dir, Share{})
	second := OpenJournal(dir, Share{}) // another process, at the same time
	first.Add("old.npy", token, 1, 2)
	first.mu.Lock()
	first.flush()
	first.mu.Unlock()
	for _, name := range odd {
		second.Add(name, token, 10, 20)
	}
	first.Add("old.npy", token, 3, 4)
	first.Add("twice.npy", token, 7, 8)
	second.Add("twice.npy", [16]byte{9}, 7, 8)
	for _, j := range []*Journal{first, second} {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cut, err := os.OpenFile(filepath.Join(dir, JournalFolder, "00000-of-00001.made"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cut.WriteString("0123 12 3"); err != nil {
		t.Fatal(err)
	}
	cut.Close()
	third := OpenJournal(dir, Share{})
	third.Add("after.npy", token, 5, 6)
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	j := OpenJournal(dir, Share{2, 5})
	for _, name := range odd {
		if !j.Has(name, token, 10, 20) || j.Has(name, [16]byte{}, 10, 20) || j.Has(name, token, 11, 20) || j.Has(name, token, 10, 21) {
			t.Errorf("%q", name)
		}
	}
	if !j.Has("after.npy", token, 5, 6) || !j.Has("old.npy", token, 3, 4) || !j.Has("old.npy", token, 1, 2) || j.Has("twice.npy", token, 7, 8) || j.Has("twice.npy", [16]byte{9}, 7, 8) || j.Has("none.npy", token, 10, 20) {
		t.Error("lines are mixed up")
	}
	other := OpenJournal(dir, Share{0, 5})
	other.Add("x.npy", token, 1, 1)
	other.Close()
	if OpenJournal(dir, Share{1, 5}).Has("x.npy", token, 1, 1) || !OpenJournal(dir, Share{0, 5}).Has("x.npy", token, 1, 1) {
		t.Error("a share reads the others' files, or not its own")
	}
}

// Every unit is run once, at most so many at a time, and told one at a time.
func TestRun(t *testing.T) {
	var l List
	for i := range 1000 {
		l.Add(Unit{Name: fmt.Sprint(i), Rel: fmt.Sprint(i)})
	}
	var running, most atomic.Int64
	seen := map[string]int{}
	Run(&l, 4, func(u Unit) Outcome {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return Outcome{Result: Made, Destination: "d" + u.Name}
	}, func(o Outcome) { seen[o.Name+o.Destination]++ })
	for i := range 1000 {
		if seen[fmt.Sprintf("%dd%d", i, i)] != 1 {
			t.Fatalf("unit %d ran %d times", i, seen[fmt.Sprintf("%dd%d", i, i)])
		}
	}
	if most.Load() > 4 || len(seen) != 1000 {
		t.Errorf("%d at once, %d outcomes", most.Load(), len(seen))
	}
}

// What fails again in the same way decides before what may pass.
func TestWorst(t *testing.T) {
	order := []fault.Class{0, fault.Negative, fault.Resource, fault.Unsupported, fault.Malformed, fault.Usage}
	for i, a := range order {
		for k, b := range order {
			if got := Worst(a, b); got != order[max(i, k)] {
				t.Errorf("%v and %v: %v", a, b, got)
			}
		}
	}
}

// The sum of reports is that of their lines; what is missing, damaged or of another run is told.
func TestSum(t *testing.T) {
	dir := t.TempDir()
	tally := func(k, n int, outcomes ...Outcome) {
		t.Helper()
		r, err := NewTally(dir, Share{k, n}, len(outcomes), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			r.Add(o)
		}
		if _, err := r.End(k == 2); err != nil {
			t.Fatal(err)
		}
		r.Add(Outcome{Result: Failed, Err: os.ErrClosed}) // too late
	}
	made := Outcome{Unit: Unit{Name: "x.npy"}, Destination: "out/x.nhwc.npy", Result: Made, Bytes: 7}
	bad := Outcome{Unit: Unit{Name: "b\xff.npy"}, Result: Failed, Err: fault.New(fault.Malformed, "too short").WithHint("look")}
	gone := Outcome{Unit: Unit{Name: "g.npy"}, Result: Failed, Err: fault.New(fault.Resource, "gone")}
	tally(0, 4, made, made)
	tally(2, 4, gone)
	sum := func() *Total {
		t.Helper()
		s, err := Sum(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := sum(); s.Made != 2 || s.Bytes != 14 || s.Failed != 1 || s.Units != 3 || fmt.Sprint(s.Missing, s.Interrupted) != "[1 3] [2]" || s.ExitCode != 5 {
		t.Errorf("%+v", s)
	}
	tally(1, 4, bad, made, Outcome{Unit: Unit{Name: "s"}, Result: Skipped})
	tally(2, 4)
	tally(3, 4, gone)
	s := sum()
	if s.Failed != 2 || s.ExitCode != 3 || len(s.Missing) != 0 || s.Failures[0].Message != "too short" || string(s.Failures[0].Raw) != "b\xff.npy" {
		t.Errorf("%+v", s)
	}
	report := filepath.Join(dir, "shard-00001-of-00004.jsonl")
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, c := range []struct{ what, damaged string }{
		{"summary is missing", strings.Join(lines[:3], "")},
		{"it counts 3 units", lines[1] + lines[2] + lines[3]},
		{"it counts 3 units", lines[0] + lines[2] + lines[3]},
		{"it counts 3 units", lines[0] + lines[1] + lines[3]},
		{"not a line", string(text[1:])},
		{"summary of share", strings.Replace(string(text), `"share":1`, `"share":2`, 1)},
	} {
		write(t, report, c.damaged)
		if _, err := Sum(dir); fault.ClassOf(err) != fault.Malformed || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	tally(1, 4)
	tally(0, 5)
	if _, err := Sum(dir); fault.ClassOf(err) != fault.Usage {
		t.Errorf("two runs: %v", err)
	}
	if _, err := Sum(t.TempDir()); fault.ClassOf(err) != fault.Resource {
		t.Errorf("no reports: %v", err)
	}
}

// TestEmptyShare: a share without units has none, in whatever order.
func TestEmptyShare(t *testing.T) {
	l := &List{}
	l.Add(Unit{Name: "x.npy", Rel: "x.npy"})
	mine := l.Take(Share{(Of("x.npy", 8) + 1) % 8, 8})
	mine.Order()
	if mine.Len() != 0 {
		t.Errorf("%d units", mine.Len())
	}
}
