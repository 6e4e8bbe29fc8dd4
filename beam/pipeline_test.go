package beam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convertcmd"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

var _ = prism.Execute // the runner that ptest uses

// TestPipeline: on prism, sources that fail the first time, and some that always fail, end in outcomes: successes are byte-identical with
// the program's own results, and a second run makes nothing.
func TestPipeline(t *testing.T) {
	dir := t.TempDir()
	content, err := os.ReadFile("../testdata/x.npy")
	if err != nil {
		t.Fatal(err)
	}
	files := 200
	if n, err := strconv.Atoi(os.Getenv("TLAYOUT_TEST_BEAM_FILES")); err == nil {
		files = n
	}
	var sources []Source
	var list bytes.Buffer
	damaged := 0
	os.Mkdir(filepath.Join(dir, "in"), 0o755)
	for i := range files {
		rel := fmt.Sprintf("%05d.npy", i)
		name := filepath.Join(dir, "in", rel)
		text := append(content[:len(content)-2:len(content)-2], byte(i), byte(i>>8))
		if i%50 == 13 {
			text, damaged = text[:len(text)-1], damaged+1
		} else {
			fmt.Fprintln(&list, name)
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{name, rel})
	}
	want, out := filepath.Join(dir, "want"), filepath.Join(dir, "out")
	s := cli.System()
	s.In, s.Out = &list, new(bytes.Buffer)
	if code := cli.Run([]string{"convert", "-@", "--to", "nhwc", "-d", want}, s, command.NewRoot); code != 0 {
		t.Fatalf("convert: exit code %d", code)
	}

	flaky := 0
	var mutex sync.Mutex
	tried := map[name.Name]bool{}
	unit = func(c *convertcmd.Converter, u batch.Item) batch.Result {
		mutex.Lock()
		first := !tried[u.Name]
		tried[u.Name] = true
		if first && u.Rel[4]%2 == 0 {
			flaky++
			mutex.Unlock()
			return batch.Result{Item: u, State: batch.Failed, Err: fault.New(fault.Resource, "cannot read it")}
		}
		mutex.Unlock()
		return c.Unit(u)
	}
	defer func() { unit = (*convertcmd.Converter).Unit }()
	flags := []string{"--to", "nhwc", "-d", out}
	if update := append(slices.Clone(flags), "--update"); CheckFlags(update) == nil { // without it, an existing result may be refused
		flags = update
	}
	for _, result := range []string{"made", "skipped"} {
		p, s := beam.NewPipelineWithRoot()
		outcomes := Convert(s, beam.CreateList(s, sources), flags, 2)
		passert.Count(s, Record(s, outcomes), "lines", files)
		ran, err := ptest.RunWithMetrics(p)
		if err != nil {
			t.Fatal(err)
		}
		Close()
		want := Tally{Failed: int64(damaged), Worst: fault.Malformed}
		want.add(result, int64(files-damaged))
		if got := TallyOf(ran); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	made, _ := filepath.Glob(out + "/*.npy")
	wanted, _ := filepath.Glob(want + dir + "/in/*.npy")
	if len(made) != files-damaged || len(wanted) != len(made) {
		t.Fatalf("there are %d results and %d of the program, not %d", len(made), len(wanted), files-damaged)
	}
	wrong := 0
	for _, name := range wanted {
		a, _ := os.ReadFile(name)
		if b, err := os.ReadFile(filepath.Join(out, filepath.Base(name))); err != nil || !bytes.Equal(a, b) {
			wrong++
			t.Errorf("%s differs from the program's result", filepath.Base(name))
		}
	}
	t.Logf("%d files, %d failed the first time, %d damaged; made %d, wrong %d", files, flaky, damaged, len(made), wrong)
}

// TestTries: temporary failures are retried up to the given number of tries, permanent ones are not.
func TestTries(t *testing.T) {
	defer func() { unit = (*convertcmd.Converter).Unit }()
	for _, c := range []struct {
		err         error
		tries, want int
		passes      int // the successful try
		result      batch.State
	}{
		{fault.New(fault.Resource, "lost"), 3, 3, 9, batch.Failed},
		{fault.New(fault.Resource, "lost"), 3, 2, 2, batch.Made},
		{fault.New(fault.Resource, "lost"), 1, 1, 2, batch.Failed},
		{errors.New("lost"), 2, 2, 9, batch.Failed},
		{fault.New(fault.Malformed, "damaged"), 3, 1, 9, batch.Failed},
		{fault.New(fault.Usage, "refused"), 3, 1, 9, batch.Failed},
	} {
		tried := 0
		unit = func(*convertcmd.Converter, batch.Item) batch.Result {
			if tried++; tried >= c.passes {
				return batch.Result{State: batch.Made}
			}
			return batch.Result{State: batch.Failed, Err: c.err}
		}
		f := &convertFn{Tries: c.tries}
		var got []Outcome
		f.ProcessElement(context.Background(), Source{Name: "x"}, func(o Outcome) { got = append(got, o) })
		if tried != c.want || len(got) != 1 || got[0].Result != string(c.result) || got[0].Source != "x" {
			t.Errorf("%v, --tries %d: tried %d times, want %d; %+v", c.err, c.tries, tried, c.want, got)
		}
	}
}
