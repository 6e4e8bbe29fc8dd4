package batch

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
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random/property"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

// names are the names that texts are.
func names(all ...string) []name.Name { return name.ParseAll(all) }

// raws are the texts of names.
func raws(names []name.Name) (all []string) {
	for _, n := range names {
		all = append(all, n.Raw())
	}
	return all
}

// TestShards: every item is in exactly one shard, for any number of shards; a growing list, in any order, moves none; and the hash is
// 64-bit FNV-1a, by its authors' test vectors, so that other programs can compute a name's shard.
func TestShards(t *testing.T) {
	for text, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := hashOf([]byte(text)); got != want {
			t.Errorf("%q is %#x, expected %#x", text, got, want)
		}
	}
	property.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé/ ]{1,12}\.npy`), 1, 40, rapid.ID[string]).Draw(t, "names")
		count := rapid.IntRange(1, 50).Draw(t, "shards")
		grown := append(slices.Clone(names), rapid.SliceOfN(rapid.StringMatching(`[A-Z]{1,5}`), 0, 10).Draw(t, "more")...)
		slices.Reverse(grown)
		var all, later List
		for _, name := range names {
			all.Add(Item{Name: named("in/" + name), Rel: name, Size: int64(len(name))})
		}
		for _, name := range grown {
			later.Add(Item{Name: named("other/" + name), Rel: name})
		}
		shards := map[string]int{}
		for k := range count {
			for u := range all.Take(Shard{k, count}).All() {
				if before, twice := shards[u.Rel]; twice {
					t.Fatalf("%q is in shards %d and %d of %d", u.Rel, before, k, count)
				}
				shards[u.Rel] = k
			}
			for u := range later.Take(Shard{k, count}).All() {
				if slices.Contains(names, u.Rel) && int(hashOf([]byte(u.Rel))%uint64(count)) != k {
					t.Fatalf("%q moved", u.Rel)
				}
			}
		}
		for _, name := range names {
			h := fnv.New64a()
			h.Write([]byte(name))
			if k, ok := shards[name]; !ok || uint64(k) != h.Sum64()%uint64(count) {
				t.Fatalf("%q is in shard %d of %d (%t), expected %d", name, k, count, ok, h.Sum64()%uint64(count))
			}
		}
	})
}

// TestList: a list returns its items, grouped by size, largest first.
func TestList(t *testing.T) {
	var l List
	for i := range 3 * blockLen {
		l.Add(Item{named(fmt.Sprintf("in/d/%05d.npy", i)), fmt.Sprintf("d/%05d.npy", i), int64(i) << 12})
	}
	l.Add(Item{named("s3://b/k.npy?region=eu"), "k.npy", 7})
	if u := l.At(5000); u != (Item{named("in/d/05000.npy"), "d/05000.npy", 5000 << 12}) || l.Len() != 3*blockLen+1 {
		t.Fatalf("%+v of %d", u, l.Len())
	}
	want := raws(l.Names())
	l.Order()
	if u := l.At(l.Len() - 1); u != (Item{named("s3://b/k.npy?region=eu"), "k.npy", 7}) || l.At(0).Size != 8192<<12 {
		t.Fatalf("first %+v, last %+v", l.At(0), u)
	}
	got := raws(l.Names())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatal("the order loses items")
	}
}

// TestExpand: names are expanded in their order; a folder yields the sources below it, without hidden ones and the folder of results;
// patterns and lists keep paths, except for what leaves the folder.
func TestExpand(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"in/b.npy", "in/a.npz", "in/x.txt", "in/.hidden.npy", "in/.git/x.npy", "in/sub/c.npy", "in/out/r.npy", "@at.npy", "odd[1].npy", "in/w.bin"} {
		write(t, name, "content")
	}
	need.Made(t, os.Symlink("../b.npy", "in/sub/link.npy"))
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
		{"in/", "a.npz b.npy sub/c.npy sub/link.npy", Options{Out: named("in/out")}},
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
		l, err := Expand(name.ParseAll(strings.Fields(c.args)), c.o)
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
		if _, err := Expand(names(args), Options{}); fault.ClassOf(err) != want || err == nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := Expand(names("in"), Options{Out: named("in")}); fault.ClassOf(err) != fault.Usage {
		t.Errorf("a folder into itself: %v", err)
	}
}

// TestFolderByContent: a folder yields the files whose content is a tensor's, whatever their names, and counts the others.
func TestFolderByContent(t *testing.T) {
	checkpoints, err := filepath.Abs("../../testdata/checkpoints")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, of := range map[string]string{"in/model.bin": "plain.pt", "in/model.th": "old.pth", "in/model.pth.tar": "plain.pt", "in/2f8a": "plain.safetensors"} {
		content, err := os.ReadFile(filepath.Join(checkpoints, of))
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, string(content))
	}
	write(t, "in/README", "text")
	l, err := Expand(names("in"), Options{})
	if err != nil || strings.Join(raws(l.Names()), " ") != "in/2f8a in/model.bin in/model.pth.tar in/model.th" {
		t.Fatalf("%q, %v", l.Names(), err)
	}
	if got := l.PassedText(); got != `passed over 1 file without tensors: "in/README"` {
		t.Error(got)
	}
	write(t, "in/weights.h5", "\x89HDF")
	if l, err = Expand(names("in"), Options{}); err != nil || l.PassedText() != `passed over 2 files without tensors: "in/README" and 1 more` {
		t.Errorf("%s, %v", l.PassedText(), err)
	}
}

// TestFolderLinks: a link to a file is judged by the file's content, as in the cache of Hugging Face; links to folders do not count as
// files passed over.
func TestFolderLinks(t *testing.T) {
	content, err := os.ReadFile("../../testdata/checkpoints/plain.pt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "blobs/5cc3", string(content))
	write(t, "blobs/9ab2", "text")
	write(t, "snapshots/abc/config.txt", "text")
	for name, to := range map[string]string{"pytorch_model.bin": "../../blobs/5cc3", "README.md": "../../blobs/9ab2", "weights": "pytorch_model.bin",
		"all": "../../blobs", "gone.bin": "../../blobs/0000"} {
		need.Made(t, os.Symlink(filepath.FromSlash(to), "snapshots/abc/"+name))
	}
	l, err := Expand(names("snapshots"), Options{})
	if err != nil || strings.Join(raws(l.Names()), " ") != "snapshots/abc/pytorch_model.bin snapshots/abc/weights" || l.Bytes != 2*int64(len(content)) {
		t.Fatalf("%q, %d bytes, %v", l.Names(), l.Bytes, err)
	}
	if got := l.PassedText(); got != `passed over 3 files without tensors: "snapshots/abc/README.md" and 2 more` {
		t.Error(got)
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

// TestFromEnvironment: array jobs determine their shard; two kinds, none, gaps and malformed numbers are refused.
func TestFromEnvironment(t *testing.T) {
	slurm := "SLURM_ARRAY_TASK_ID=%d SLURM_ARRAY_TASK_MIN=%d SLURM_ARRAY_TASK_COUNT=%d SLURM_ARRAY_TASK_STEP=%d"
	for _, c := range []struct{ env, want string }{
		{fmt.Sprintf(slurm, 0, 0, 8, 1), "0/8"},
		{fmt.Sprintf(slurm, 11, 5, 4, 3), "2/4"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=8", "7/8"},
		{fmt.Sprintf(slurm, 12, 5, 4, 3), "not one of its 4"},
		{fmt.Sprintf(slurm, 8, 1, 3, 1), "not one of its 3"},
		{fmt.Sprintf(slurm, 7, 3, 2, 4) + " TLAYOUT_SHARDS=100", "7/100"},
		{"SLURM_ARRAY_TASK_ID=7 TLAYOUT_SHARDS=7", "shard 7 is out of range"},
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
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// TestRun: every item runs once, at most jobs in parallel, and results are reported one at a time.
func TestRun(t *testing.T) {
	var l List
	for i := range 1000 {
		l.Add(Item{Name: named(fmt.Sprint(i)), Rel: fmt.Sprint(i)})
	}
	var running, most atomic.Int64
	seen := map[string]int{}
	Run(&l, 4, func(u Item) Result {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return Result{State: Made, Destination: named("d" + u.Name.Raw())}
	}, func(o Result) { seen[o.Name.Raw()+o.Destination.Raw()]++ })
	for i := range 1000 {
		if seen[fmt.Sprintf("%dd%d", i, i)] != 1 {
			t.Fatalf("item %d ran %d times", i, seen[fmt.Sprintf("%dd%d", i, i)])
		}
	}
	if most.Load() > 4 || len(seen) != 1000 {
		t.Errorf("%d at once, %d outcomes", most.Load(), len(seen))
	}
}

// TestWorst: a permanent error outranks a temporary one.
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

// TestSummary: a summary counts every result, lists the first failures in order, and has the worst class.
func TestSummary(t *testing.T) {
	s := NewSummary(Shard{1, 4}, 150, false)
	s.Add(Result{Item: Item{Name: named("x.npy")}, Destination: named("out/x.nhwc.npy"), State: Made, Bytes: 7})
	s.Add(Result{Item: Item{Name: named("y.npy")}, Destination: named("out/y.nhwc.npy"), State: Made, Bytes: 5})
	s.Add(Result{Item: Item{Name: named("s.npy")}, State: Skipped, Bytes: 9})
	s.Add(Result{Item: Item{Name: named("b\xff.npy")}, State: Failed, Err: fault.New(fault.Malformed, "too short").WithHint("look")})
	for i := range maxFailures {
		s.Add(Result{Item: Item{Name: named(fmt.Sprintf("a%03d.npy", i))}, State: Failed, Err: fault.New(fault.Resource, "gone")})
	}
	s.End(1.5)
	if s.Made != 2 || s.Bytes != 12 || s.Skipped != 1 || s.Failed != maxFailures+1 || s.ExitCode != 3 || s.Seconds != 1.5 || len(s.Failures) != maxFailures {
		t.Errorf("%+v", s)
	}
	last := s.Failures[maxFailures-1]
	if s.Failures[0].Source != "a000.npy" || last.Message != "too short" || last.Hint != "look" || last.ExitCode != 3 || string(last.Raw) != "b\xff.npy" {
		t.Errorf("%+v, …, %+v", s.Failures[0], last)
	}
}

// TestEmptyShard: a shard without items stays empty after ordering.
func TestEmptyShard(t *testing.T) {
	l := &List{}
	l.Add(Item{Name: named("x.npy"), Rel: "x.npy"})
	mine := l.Take(Shard{int(hashOf([]byte("x.npy"))+1) & 7, 8})
	mine.Order()
	if mine.Len() != 0 {
		t.Errorf("%d items", mine.Len())
	}
}

// TestOtherFolder: a folder that is one tensor in another format is reported as that, unless every file is requested.
func TestOtherFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	need.Made(t, os.MkdirAll("m/variables", 0o777))
	need.Made(t, os.WriteFile("m/saved_model.pb", []byte("{}"), 0o666))
	if _, err := Expand(names("m"), Options{}); fault.ClassOf(err) != fault.Unsupported {
		t.Errorf("%v", err)
	}
	if l, err := Expand(names("m"), Options{Any: true}); err != nil || l.Len() != 1 {
		t.Errorf("%v, %v", l, err)
	}
}

// TestContainerFolder: a folder that is a container is one source, alone and below another, unless every file is requested.
func TestContainerFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	need.Made(t, os.MkdirAll("d/z.zarr/c", 0o777))
	for _, file := range []string{"d/z.zarr/zarr.json", "d/z.zarr/c/0", "d/a.npy"} {
		need.Made(t, os.WriteFile(file, []byte("{}"), 0o666))
	}
	for folder, want := range map[string]string{"d/z.zarr": `["d/z.zarr"]`, "d/z.zarr/": `["d/z.zarr"]`, "d": `["d/a.npy" "d/z.zarr"]`} {
		l, err := Expand(names(folder), Options{})
		if err != nil || fmt.Sprint(l.Names()) != want {
			t.Errorf("%s: %v, %v", folder, l.Names(), err)
		}
	}
	if l, err := Expand(names("d"), Options{Any: true}); err != nil || l.Len() != 3 {
		t.Errorf("%v, %v", l.Names(), err)
	}
}

// TestHook: the pre-commit hook matches the names that make a file of a folder a source.
func TestHook(t *testing.T) {
	hook, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := `files: (?i)\.(` + strings.TrimPrefix(strings.Join(endings, "|"), ".") + `)$`
	want = strings.ReplaceAll(want, "|.", "|")
	if !strings.Contains(string(hook), "  "+want+"\n") {
		t.Errorf("no %q in\n%s", want, hook)
	}
}
