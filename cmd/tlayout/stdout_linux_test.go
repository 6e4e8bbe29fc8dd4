package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/random"
)

// printing are commands that write to standard output, in all formats.
var printing = []string{
	"inspect x.npy", "inspect x.npy --all", "inspect x.npy --json", "inspect x.npy -f csv", "inspect x.npy -f markdown", "inspect x.npy --explain",
	"inspect x.npy --offsets", "inspect x.npy --storage", "inspect weights.npz", "inspect model.pt", "inspect model.pt --json", "inspect x.npy weights.npz",
	"x.npy", "check x.npy --packed", "check x.npy --packed --json", "convert x.npy --to nhwc -o -", "convert x.npy --to nchw4 -o -",
	"convert x.npy --to nhwc --dry-run", "convert x.npy --to nhwc -o OUT.npy --force", "convert x.npy --to nhwc -o OUT.npy --force --json",
	"convert model.pt -o OUT.npz --force", "convert x.npy y.npy --to nhwc -d OUT --update", "plan x.npy --to nhwc", "plan x.npy --to nhwc --json", "diff x.npy x.npy --json", "diff x.npy y.npy", "draw x.npy",
	"draw x.npy --as svg -o -", "draw x.npy --as png -o -", "draw x.npy --as html -o -", "draw x.npy --json", "draw x.npy -o OUT.svg --force",
	"trace x.npy T", "trace x.npy T --json", "offset x.npy 0,0,0,0", "offset x.npy 0,0,0,0 --json", "formats", "formats nhwc", "formats --json", "why", "why --json", "guess dump.bin", "guess dump.bin --json", "graph net.pt2", "graph net.pt2 --all", "graph net.pt2 --json", "net.pt2", "graph net.pt2 -o OUT.svg --force", "threads", "threads ((4,8),(2,2)):((32,1),(16,8)) --tile 16,8",
	measure, measure + " --json", measure + " -f gobench", measure + " -o OUT.json --force",
	"__readings nhwc", "version", "help", "help exit-codes", "help gates", "help layouts", "help settings", "help environment", "help json", "help agent", "inspect --help", "completion bash", "completion zsh", "completion fish", "completion powershell",
}

// TestPrintingComplete: printing has every command.
func TestPrintingComplete(t *testing.T) {
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		begin := c.Name() + " "
		if !c.Runnable() {
			begin = "help " + begin
		}
		if !slices.ContainsFunc(printing, func(line string) bool { return strings.HasPrefix(line+" ", begin) }) {
			t.Errorf("%s is not tried", c.Name())
		}
	}
}

// eachPrinting runs the commands of printing with this standard output.
func eachPrinting(t *testing.T, open func() *os.File, judge func(line string, cmd *exec.Cmd, stderr string)) {
	dir := t.TempDir()
	for _, name := range []string{"x.npy", "weights.npz", "model.pt", "dump.bin", "net.pt2"} {
		cli.Must(os.WriteFile(filepath.Join(dir, filepath.Base(name)), fixture.Must(os.ReadFile(filepath.Join(testdataDir, name))), 0o666))
	}
	y := fixture.Must(os.ReadFile(filepath.Join(testdataDir, "x.npy")))
	y[len(y)-1] ^= 1
	cli.Must(os.WriteFile(filepath.Join(dir, "y.npy"), y, 0o666))
	for _, line := range random.Sample(printing, 4) {
		cmd := exec.Command("tlayout", strings.Fields(strings.ReplaceAll(line, "OUT", "out"))...)
		cmd.Dir = dir
		var stderr strings.Builder
		stdout := open()
		cmd.Stdout, cmd.Stderr = stdout, &stderr
		cmd.Run() //nolint:errcheck // the state tells
		stdout.Close()
		judge(line, cmd, stderr.String())
		if names := fixture.Must(filepath.Glob(filepath.Join(dir, ".tlayout*"))); len(names) > 0 {
			t.Errorf("%s: left behind %v", line, names)
		}
	}
}

// TestFullDevice: if standard output is full, every command reports it and exits with 5.
func TestFullDevice(t *testing.T) {
	c := countTrials(t)
	eachPrinting(t, func() *os.File { return fixture.Must(os.OpenFile("/dev/full", os.O_WRONLY, 0)) }, func(line string, cmd *exec.Cmd, stderr string) {
		by, code := ending(cmd)
		var problems []string
		if by != 0 || code != 5 || strings.Count(stderr, "no space left on device") != 1 || strings.Contains(stderr, "goroutine") {
			problems = append(problems, fmt.Sprintf("ended by %v, code %d: %.300s", by, code, stderr))
		}
		c.try(t, line, fmt.Sprint("exit code ", code), problems...)
	})
}

// TestBrokenPipe: without a reader of standard output, every command ends by SIGPIPE, silently.
func TestBrokenPipe(t *testing.T) {
	c := countTrials(t)
	eachPrinting(t, func() *os.File {
		reader, writer, err := os.Pipe()
		cli.Must(err)
		reader.Close()
		return writer
	}, func(line string, cmd *exec.Cmd, stderr string) {
		by, code := ending(cmd)
		var problems []string
		if by != syscall.SIGPIPE || strings.Contains(stderr, "error") || strings.Contains(stderr, "goroutine") {
			problems = append(problems, fmt.Sprintf("ended by %v, code %d: %.300s", by, code, stderr))
		}
		c.try(t, line, fmt.Sprint(by), problems...)
	})
}
