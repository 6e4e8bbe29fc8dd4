package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/random"
)

// reading are commands that read all of IN, which has 3 MB; OUT exists before.
var reading = []string{
	"convert IN --to nhwc -o OUT.npy --force --threads 1", "convert IN --to nhwc -o OUT.npy --force --threads 2", "convert IN --to nhwc -o OUT.npy --force --threads 8",
	"convert IN --to nchw4 -o OUT.npz --force --verify", "convert IN --to nhwc -o -", "diff IN x.npy", "diff x.npy IN", "check IN --packed --finite",
	"inspect IN --offsets --limit 0", "draw IN -o OUT.svg --force", "convert model.pt -o OUT.safetensors --force",
}

// TestInputChanges: if an input is truncated or rewritten while a command is stopped at a random time, the command reports it, or succeeds
// because it has read the input already, or not yet. It never writes a wrong result, crashes or hangs.
func TestInputChanges(t *testing.T) {
	c := countTrials(t)
	valid := fixture.Must(fixture.Npy("<f4", []int{8, 16, 80, 80}, false))
	other := bytes.Clone(valid)
	for i := 128; i < len(other); i++ {
		other[i] ^= 0x15
	}
	for at, line := range random.Sample(reading, 3) {
		t.Run(strings.ReplaceAll(line, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := &changed{line: line, dir: t.TempDir(), draw: random.New(t), valid: valid, other: other}
			if strings.Contains(line, "model.pt") {
				r.valid = fixture.Must(os.ReadFile(filepath.Join(testdataDir, "model.pt")))
				r.other = fixture.Must(os.ReadFile(filepath.Join(testdataDir, "checkpoints", "plain.pt")))
			}
			r.learn(t)
			for i := range rounds(2) {
				r.try(t, c, (i+at)%4)
			}
		})
	}
}

// changed is a command whose input is changed.
type changed struct {
	line, dir    string
	valid, other []byte
	results      map[string]bool // the allowed results: of either input, and the old one
	took         time.Duration
	draw         *rand.Rand
}

func (r *changed) path(name string) string { return filepath.Join(r.dir, name) }

func (r *changed) input() string {
	if strings.Contains(r.line, "model.pt") {
		return r.path("model.pt")
	}
	return r.path("in.npy")
}

// command returns the program and where its output goes.
func (r *changed) command() (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd = exec.Command("tlayout", strings.Fields(strings.NewReplacer("IN", "in.npy", "OUT", "out").Replace(r.line))...)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, stdout, stderr
	return cmd, stdout, stderr
}

// result returns the output file, or standard output without one.
func (r *changed) result(stdout *bytes.Buffer) string {
	for _, name := range []string{"out.npy", "out.npz", "out.svg", "out.safetensors"} {
		if text, err := os.ReadFile(r.path(name)); err == nil {
			return string(text)
		}
	}
	return stdout.String()
}

// reset writes the input and an old result.
func (r *changed) reset(input []byte) {
	cli.Must(os.WriteFile(r.input(), input, 0o666))
	if _, name, ok := strings.Cut(r.line, "OUT"); ok {
		cli.Must(os.WriteFile(r.path("out"+strings.Fields(name)[0]), []byte("old"), 0o666))
	}
}

func (r *changed) learn(t *testing.T) {
	r.results = map[string]bool{}
	cli.Must(os.WriteFile(r.path("x.npy"), r.valid, 0o666))
	for _, input := range [][]byte{r.valid, r.other} {
		r.reset(input)
		cmd, stdout, stderr := r.command()
		start := time.Now()
		cmd.Run() //nolint:errcheck // diff ends with 1
		if by, code := ending(cmd); by != 0 || code > 1 {
			t.Fatalf("ended by %v, code %d: %s", by, code, stderr)
		}
		r.took = max(r.took, time.Since(start))
		r.results[r.result(stdout)] = true
	}
}

// try stops the program at a random moment, changes its input in one of four ways, and continues it.
func (r *changed) try(t *testing.T, c *trials, how int) {
	r.reset(r.valid)
	cmd, stdout, stderr := r.command()
	cli.Must(cmd.Start())
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) //nolint:errcheck // the state tells
	time.Sleep(time.Duration(r.draw.Int64N(int64(r.took))))
	cmd.Process.Signal(syscall.SIGSTOP) //nolint:errcheck // it may have ended
	switch how {
	case 0:
		cli.Must(os.Truncate(r.input(), 0))
	case 1:
		cli.Must(os.Truncate(r.input(), int64(len(r.valid)/2)))
	case 2:
		cli.Must(os.Truncate(r.input(), int64(len(r.valid)-1)))
	case 3:
		cli.Must(os.WriteFile(r.input(), r.other, 0o666))
	}
	cmd.Process.Signal(syscall.SIGCONT) //nolint:errcheck // it may have ended
	cmd.Wait()                          //nolint:errcheck // the state tells
	late.Stop()
	by, code := ending(cmd)
	result := r.result(stdout)
	var problems []string
	switch {
	case by != 0 || code != 0 && code != 1 && code != 3 && code != 5 || strings.Contains(stderr.String(), "goroutine"):
		problems = append(problems, "not an answer and not an error")
	case code <= 1 && !r.results[result]:
		problems = append(problems, "the result is that of no input")
	case code > 1 && strings.Contains(r.line, "OUT") && result != "old":
		problems = append(problems, "the old result is gone")
	}
	if len(problems) > 0 {
		problems[0] += fmt.Sprintf("; ended by %v, code %d: %.300s", by, code, stderr)
	}
	c.try(t, fmt.Sprintf("%s, change %d", r.line, how), fmt.Sprint("exit code ", code), problems...)
}

// ggufAlignment is the default of general.alignment, to which the data of each tensor is padded, in bytes.
const ggufAlignment = 32

// TestPrefixes: no prefix of a file that lacks data is a valid file of its type. The last bytes of a GGUF file may be padding.
func TestPrefixes(t *testing.T) {
	c := countTrials(t)
	files := []string{"x.npy", "weights.npz", "m.safetensors", "model.pt"}
	for _, e := range fixture.Must(os.ReadDir(filepath.Join(testdataDir, "checkpoints"))) {
		if ext := filepath.Ext(e.Name()); ext == ".gguf" || ext == ".pth" || ext == ".onnx" || ext == ".pt2" {
			files = append(files, filepath.Join("checkpoints", e.Name()))
		}
	}
	dir, draw := t.TempDir(), random.New(t)
	for _, name := range files {
		text := fixture.Must(os.ReadFile(filepath.Join(testdataDir, name)))
		path := filepath.Join(dir, filepath.Base(name))
		end := len(text)
		if filepath.Ext(name) == ".gguf" {
			end -= ggufAlignment - 1
		}
		step := max(1, end/(10*rounds(4)))
		for n := draw.IntN(step); n < end; n += step {
			cli.Must(os.WriteFile(path, text[:n], 0o666))
			o := runIn(t, nil, "inspect", path)
			var problems []string
			if o.code != 3 || !strings.Contains(o.err, "tlayout: error: ") {
				problems = append(problems, fmt.Sprintf("exit code %d: %s%s", o.code, o.out, o.err))
			}
			c.try(t, fmt.Sprintf("%d of the %d bytes of %s", n, len(text), name), fmt.Sprint("exit code ", o.code), problems...)
		}
	}
}
