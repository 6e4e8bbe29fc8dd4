package bench

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
	"github.com/tlayout/tlayout/python"
)

// StartTorch starts the first Python on PATH and has it prepare the rows of a subject. It fails with Resource without Python or PyTorch, and with
// what PyTorch refuses. The caller must end it.
func StartTorch(s Subject, o TorchOptions) (*Worker, error) {
	interpreter, err := findPython()
	if err != nil {
		return nil, fault.New(fault.Resource, "no python3 on PATH").WithHint("install Python, and then: python3 -m pip install torch")
	}
	cmd := exec.Command(interpreter, "-c", python.Bench)
	cmd.Env = absolutePath(os.Environ())
	w, err := start(cmd)
	if err != nil {
		return nil, fault.New(fault.Resource, "cannot start %s: %s", text.Quoted(interpreter), fault.Cause(err))
	}
	w.interpreter = interpreter
	if err := w.setup(s, o); err != nil {
		w.End()
		return nil, err
	}
	return w, nil
}

// findPython returns the first Python on PATH. On Windows, environments have only python, and python3 may be an alias of the Microsoft Store.
func findPython() (name string, err error) {
	names := []string{"python3", "python"}
	if runtime.GOOS == "windows" {
		slices.Reverse(names)
	}
	for _, n := range names {
		name, err = exec.LookPath(n)
		if err == nil {
			return name, nil
		}
	}
	return "", err
}

// absolutePath returns an environment whose PYTHONPATH names no folder relative to the working directory.
func absolutePath(env []string) []string {
	const variable = "PYTHONPATH="
	env = slices.Clone(env)
	for i, v := range env {
		if path, ok := strings.CutPrefix(v, variable); ok {
			folders := slices.DeleteFunc(filepath.SplitList(path), func(folder string) bool { return !filepath.IsAbs(folder) })
			env[i] = variable + strings.Join(folders, string(filepath.ListSeparator))
		}
	}
	return env
}

// start starts a process that answers questions.
func start(cmd *exec.Cmd) (*Worker, error) {
	stderr := &tail{}
	cmd.Stderr = stderr
	cmd.WaitDelay = patience // of its children, which may keep its standard error
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Worker{to: in, from: bufio.NewReaderSize(out, maxAnswer), end: func() error { return ended(cmd, in, stderr) }}, nil
}

// maxAnswer bounds the line of an answer, in bytes.
const maxAnswer = 1 << 16

// patience is how long a process may take to end after its standard input did.
const patience = time.Second

// ended ends a process, and returns why it ended: its last line on standard error, or else how.
func ended(cmd *exec.Cmd, in io.Closer, stderr *tail) error {
	in.Close()
	kill := time.AfterFunc(patience, func() { cmd.Process.Kill() }) //nolint:errcheck // it may have ended already
	defer kill.Stop()
	why := "it exited"
	if err := cmd.Wait(); err != nil {
		why = err.Error()
	}
	if line := stderr.lastLine(); line != "" {
		why += ": " + line
	}
	early := fault.New(fault.Resource, "PyTorch's process ended early: %s", text.Quote(why))
	if strings.HasPrefix(why, "signal: killed") {
		return early.WithHint("it may lack memory: pass a smaller --shape")
	}
	return early
}

// tail keeps the last bytes written.
type tail struct{ kept []byte }

// maxTail bounds them.
const maxTail = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	return len(b), nil
}

func (t *tail) lastLine() string {
	lines := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	return lines[len(lines)-1]
}
