package cloud

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

var quiet = log.New(io.Discard, "", 0)

// array returns a .npy file of random float32 bytes.
func array(t *testing.T, seed byte, shape ...int) []byte {
	t.Helper()
	d, err := dtype.Parse("float32")
	if err != nil {
		t.Fatal(err)
	}
	file, err := npy.AppendHeader(nil, d, false, shape)
	if err != nil {
		t.Fatal(err)
	}
	n := 4
	for _, s := range shape {
		n *= s
	}
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{seed, byte(n), byte(n >> 8)}).Read(data)
	return append(file, data...)
}

// TestWorkers: four workers, each run twice at once, killed at random, behind a proxy that loses one request in ten in some way, make every
// object once and whole, and a second run writes nothing.
func TestWorkers(t *testing.T) { onEach(t, testWorkers) }

func testWorkers(t *testing.T, g *gateway) {
	objects, workers, kills := count("OBJECTS", 60), 4, count("KILLS", 6)
	want := map[string][]byte{}
	lists := make([]strings.Builder, workers)
	here := t.TempDir()
	for i := range objects {
		shape := []int{1 + i%3, 3 + i%5, 8 + i%40, 9}
		switch {
		case i%200 == 7:
			shape = []int{2, 64, 256, 300} // 37.5 MiB, in parts
		case i%10 == 3:
			shape = []int{1, 3, 224, 224}
		}
		content := array(t, byte(i), shape...)
		name := fmt.Sprintf("%05d.npy", i)
		g.put(t, "in/"+name, content)
		want["out/"+name] = convertedHere(t, here, content)
		fmt.Fprintf(&lists[i%workers], "%s %s\n", g.url("in/"+name), g.url("out/"+name))
	}
	var names []string
	for i := range lists {
		names = append(names, filepath.Join(here, fmt.Sprintf("list%d", i)))
		if err := os.WriteFile(names[i], []byte(lists[i].String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g.fail(t, 100)
	stop := make(chan bool)
	var watched atomic.Int64
	var watcher sync.WaitGroup
	watcher.Go(func() { watched.Store(g.watch(t, want, stop)) })
	killed := runWorkers(t, append(names, names...), kills)
	close(stop)
	watcher.Wait()
	g.trouble.Store(0)

	lost, wrong, doubled := g.compare(t, want)
	before := len(g.writes)
	puts := g.requests[http.MethodPut] + g.requests[http.MethodPost]
	runWorkers(t, names, 0)
	if n := g.requests[http.MethodPut] + g.requests[http.MethodPost] - puts; n != 0 || len(g.writes) != before {
		t.Errorf("the second run made %d writes", n)
	}
	t.Logf("%d objects, %d workers twice, %d killed; faults %v, requests %v; %d objects read meanwhile; lost %d, wrong %d, doubled %d",
		objects, workers, killed, g.faults, g.requests, watched.Load(), lost, wrong, doubled)
}

// convertedHere returns the program's result for a local file.
func convertedHere(t *testing.T, dir string, content []byte) []byte {
	t.Helper()
	from, to := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	if err := os.WriteFile(from, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run("convert", from, "--to", "nhwc", "-o", to, "--force", "--from", "nchw"); code != 0 {
		t.Fatal(errs)
	}
	made, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// compare counts results that are missing, wrong, or not written exactly once, which are errors.
func (g *gateway) compare(t *testing.T, want map[string][]byte) (lost, wrong, doubled int) {
	t.Helper()
	there := g.keys(t, "out/")
	for key, content := range want {
		switch {
		case !slices.Contains(there, key):
			lost++
		case !bytes.Equal(g.get(t, key), content):
			wrong++
		}
		if w := g.writes[key]; len(w) != 1 {
			doubled++
			t.Logf("%s: writes %v", key, w)
		}
	}
	if lost+wrong+doubled > 0 || len(there) != len(want) {
		t.Errorf("of %d objects %d are lost, %d are wrong, %d were not written once; there are %d", len(want), lost, wrong, doubled, len(there))
	}
	return lost, wrong, doubled
}

// watch reads the visible results until it is stopped: each of them is whole.
func (g *gateway) watch(t *testing.T, want map[string][]byte, stop chan bool) (n int64) {
	for {
		for _, key := range g.keys(t, "out/") {
			select {
			case <-stop:
				return n
			default:
			}
			if rand.IntN(8) > 0 {
				continue
			}
			if n++; !bytes.Equal(g.get(t, key), want[key]) {
				t.Errorf("%s is visible before it is whole, or is wrong", key)
			}
		}
		select {
		case <-stop:
			return n
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// runWorkers runs a worker for each list at once, kills some at random and reruns them until all have succeeded.
func runWorkers(t *testing.T, lists []string, kills int) (killed int64) {
	return runKilled(t, len(lists), kills, func(i int) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerVariable+"="+lists[i])
		return cmd
	})
}

// runKilled runs n commands at once, kills some at random and reruns them until all have succeeded.
func runKilled(t *testing.T, n, kills int, command func(i int) *exec.Cmd) (killed int64) {
	var left, done atomic.Int64
	left.Store(int64(kills))
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			for try := range 60 {
				cmd := command(i)
				var errs bytes.Buffer
				cmd.Stderr = &errs
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				var timer *time.Timer
				if left.Add(-1) >= 0 {
					timer = time.AfterFunc(time.Duration(100+rand.IntN(1500))*time.Millisecond, func() {
						if cmd.Process.Kill() == nil {
							done.Add(1)
						}
					})
				}
				err := cmd.Wait()
				if timer != nil {
					timer.Stop()
				}
				switch {
				case err == nil:
					return
				case try == 59:
					t.Errorf("a worker never succeeded: %v\n%s", err, errs.String())
				case cmd.ProcessState.ExitCode() >= 0:
					t.Logf("a worker failed, and is rerun: %s", strings.TrimSpace(errs.String()))
				}
			}
		})
	}
	wait.Wait()
	return done.Load()
}

// TestWriteOnce: of six writers of one object, small or in parts, one writes it.
func TestWriteOnce(t *testing.T) { onEach(t, testWriteOnce) }

func testWriteOnce(t *testing.T, g *gateway) {
	for _, size := range []int{1000, 40 << 20} {
		url := g.url(fmt.Sprint("once/", size))
		var wait sync.WaitGroup
		var won atomic.Int64
		for i := range 6 {
			to, err := store.Locate(name.Parse(url))
			if err != nil {
				t.Fatal(err)
			}
			wait.Go(func() {
				content := bytes.Repeat([]byte{byte(i)}, size)
				if to.Put(context.Background(), bytes.NewReader(content), int64(size), fmt.Sprint("writer ", i), false) == nil {
					won.Add(1)
				}
			})
		}
		wait.Wait()
		content := g.get(t, fmt.Sprint("once/", size))
		if won.Load() != 1 || len(content) != size || bytes.Count(content, content[:1]) != size || len(g.writes[fmt.Sprint("once/", size)]) != 1 {
			t.Errorf("%d bytes: %d writers won, %d writes", size, won.Load(), len(g.writes[fmt.Sprint("once/", size)]))
		}
	}
}

// TestReplaceOnly: with --force, only the object that existed at first is replaced.
func TestReplaceOnly(t *testing.T) { onEach(t, testReplaceOnly) }

func testReplaceOnly(t *testing.T, g *gateway) {
	for _, size := range []int{1000, 40 << 20} {
		key := fmt.Sprint("over/", size)
		url := g.url(key)
		put := func(to *store.Target, fill byte) error {
			return to.Put(context.Background(), bytes.NewReader(bytes.Repeat([]byte{fill}, size)), int64(size), fmt.Sprint("of ", fill), true)
		}
		g.put(t, key, []byte("old"))
		to, err := store.Locate(name.Parse(url))
		if err != nil {
			t.Fatal(err)
		}
		if err := put(to, 1); err != nil || g.get(t, key)[0] != 1 {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err := put(to, 2); err == nil || g.get(t, key)[0] != 1 {
			t.Errorf("%d bytes: another's object was replaced: %v", size, err)
		}
		if to, err = store.Locate(name.Parse(url)); err != nil {
			t.Fatal(err)
		}
		if err := g.bucket.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if err := put(to, 3); err == nil || !strings.Contains(err.Error(), "changed by another program") || len(g.keys(t, "")) > 0 {
			t.Errorf("%d bytes: a deleted object was written again: %v", size, err)
		}
	}
}

// TestSourceChanges: a source that is overwritten after its header was read is refused, and nothing is written.
func TestSourceChanges(t *testing.T) { onEach(t, testSourceChanges) }

func testSourceChanges(t *testing.T, g *gateway) {
	g.put(t, "x.npy", array(t, 1, 2, 16, 100, 100))
	var reads atomic.Int64
	change := hook(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/x.npy") && reads.Add(1) == 2 {
			g.put(t, "x.npy", array(t, 2, 2, 16, 100, 100))
		}
		return false
	})
	g.hook.Store(&change)
	code, _, errs := run("convert", g.url("x.npy"), "--to", "nhwc")
	if code != 5 || !strings.Contains(errs, "changed while reading") || reads.Load() < 2 || len(g.keys(t, "")) != 1 {
		t.Errorf("exit code %d: %s%q", code, errs, g.keys(t, ""))
	}
}

// TestKeys: keys with special characters are read and written literally.
func TestKeys(t *testing.T) { onEach(t, testKeys) }

func testKeys(t *testing.T, g *gateway) {
	content := array(t, 1, 1, 3, 4, 5)
	for _, key := range []string{"a b.npy", "a%20b.npy", "a+b&c=d.npy", "[1]*.npy", "ünï/コード.npy", "a#b;c,d'e.npy", "a:b.npy"} {
		g.put(t, key, content)
		source := g.url(key)
		if code, _, errs := run("convert", source, "-o", g.url("made/"+key), "--to", "c"); code != 0 {
			t.Errorf("%s: %s", key, errs)
		} else if !bytes.Equal(g.get(t, "made/"+key), content) {
			t.Errorf("%s: wrong content", key)
		}
	}
}

// TestRequests: a conversion takes as many requests as docs/many.md counts.
func TestRequests(t *testing.T) { onEach(t, testRequests) }

func testRequests(t *testing.T, g *gateway) {
	for _, c := range []struct {
		name  string
		shape []int
		want  map[string]string // by scheme
	}{
		{"60 KiB", []int{1, 3, 71, 72}, map[string]string{"s3": "GET 1, HEAD 1, PUT 1", "gs": "GET 2, POST 1", "azblob": "GET 1, HEAD 1, PUT 1"}},
		{"600 KiB", []int{1, 3, 224, 224}, map[string]string{"s3": "GET 2, HEAD 1, PUT 1", "gs": "GET 3, POST 1", "azblob": "GET 2, HEAD 1, PUT 1"}},
		{"64 MiB", []int{4, 64, 256, 256}, map[string]string{ // and a header
			"s3": "GET 10, HEAD 1, POST 2, PUT 9", "gs": "GET 11, POST 10", "azblob": "GET 10, HEAD 1, PUT 10"}},
	} {
		g.put(t, c.name+".npy", array(t, 1, c.shape...))
		clear(g.requests)
		if code, _, errs := run("convert", g.url(c.name+".npy"), "--to", "nhwc"); code != 0 {
			t.Fatal(errs)
		}
		var made []string
		for _, method := range slices.Sorted(maps.Keys(g.requests)) {
			made = append(made, fmt.Sprint(method, " ", g.requests[method]))
		}
		if got := strings.Join(made, ", "); got != c.want[g.scheme] {
			t.Errorf("%s: %s; expected %s", c.name, got, c.want[g.scheme])
		}
	}
}

// TestPrefix: one command converts all objects below a prefix, in four shards, each run twice at once behind the same proxy: every object
// is made once, equal to a local conversion, and a second run writes nothing.
func TestPrefix(t *testing.T) { onEach(t, testPrefix) }

func testPrefix(t *testing.T, g *gateway) {
	objects, shares := count("OBJECTS", 60), 4
	want := map[string][]byte{}
	here := t.TempDir()
	for i := range objects {
		content := array(t, byte(i), 1+i%3, 3+i%5, 8+i%40, 9)
		name := fmt.Sprintf("d%d/%05d", i%3, i)
		g.put(t, "in/"+name+".npy", content)
		want["out/"+name+".nhwc.npy"] = convertedHere(t, here, content)
	}
	all := func(times int) {
		var wait sync.WaitGroup
		for i := range shares * times {
			wait.Go(func() {
				for try := range 20 { // the next try repeats what a lasting fault failed
					code, _, errs := run("convert", g.url("in/"), "--from", "nchw", "--to", "nhwc",
						"-d", g.url("out/"), "--shard", fmt.Sprintf("%d/%d", i%shares, shares), "--update")
					if code == 0 {
						return
					}
					if code != 5 || try == 19 {
						t.Errorf("shard %d: exit code %d: %s", i%shares, code, errs)
						return
					}
				}
			})
		}
		wait.Wait()
	}
	g.fail(t, 100)
	all(2)
	g.trouble.Store(0)
	lost, wrong, doubled := g.compare(t, want)
	puts := g.requests[http.MethodPut] + g.requests[http.MethodPost]
	all(1)
	if n := g.requests[http.MethodPut] + g.requests[http.MethodPost] - puts; n != 0 {
		t.Errorf("the second run made %d writes", n)
	}
	code, out, errs := run("convert", g.url("in/"), "--from", "nchw", "--to", "nhwc", "-d", g.url("out/"),
		"--update", "--dry-run", "-f", "csv")
	if code != 0 || !strings.Contains(out, fmt.Sprintf(",%d,0,%d,0,", objects, objects)) {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	t.Logf("%d objects, %d shards twice; faults %v, requests %v; lost %d, wrong %d, doubled %d",
		objects, shares, g.faults, g.requests, lost, wrong, doubled)
}

// TestFolders: inspect, check, convert and diff take a prefix as a folder, and diff a folder of this machine beside it.
func TestFolders(t *testing.T) { onEach(t, testFolders) }

func testFolders(t *testing.T, g *gateway) {
	here := t.TempDir()
	for i, name := range []string{"x.npy", "d/y.npy"} {
		content := array(t, byte(i), 2, 3, 4, 5)
		g.put(t, "a/"+name, content)
		path := filepath.Join(here, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g.put(t, "other/x.npy", array(t, 1, 2, 3, 4, 5))
	g.put(t, "other/d/y.npy", array(t, 1, 2, 3, 4, 5))
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"inspect", g.url("a/"), "-f", "csv"}, 0, "float32"},
		{[]string{"check", g.url("a/"), "--contiguous", "c"}, 0, ""},
		{[]string{"convert", g.url("a/"), "--to", "nhwc"}, 2, "missing --dir"},
		{[]string{"convert", g.url("a/"), "--to", "nhwc", "-d", g.url("c/")}, 0, ""},
		{[]string{"diff", g.url("a/"), g.url("c/")}, 0, "the same 2 tensors"},
		{[]string{"diff", g.url("a/"), here}, 0, "the same 2 tensors"},
		{[]string{"diff", here, g.url("c/")}, 0, "the same 2 tensors"},
		{[]string{"diff", g.url("c/"), g.url("other/")}, 1, "1 of 2 tensors differs"},
		{[]string{"diff", g.url("a/"), g.url("none/")}, 5, "no objects match"},
	} {
		if code, out, errs := run(c.args...); code != c.code || !strings.Contains(out+errs, c.text) {
			t.Errorf("%q: exit code %d, expected %d and %q\n%s%s", c.args, code, c.code, c.text, out, errs)
		}
	}
}
