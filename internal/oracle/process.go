package oracle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// timeout is how long a program may take to answer, or to read more of a question.
var timeout = time.Minute

// process is a program with pipes for its standard input and output. A program that exceeds the timeout is killed, and both ends report it.
type process struct {
	cmd       *exec.Cmd
	name      string // of the script, or of the program
	stdin     *os.File
	stdout    *os.File
	complaint *strings.Builder // standard error
	late      *lateness
}

// lateness is the reason for killing a program; nil if it was not killed.
type lateness struct {
	sync.Mutex
	err error
}

// begin starts a program. Python writes each line immediately, even if a script does not flush.
func begin(program string, args []string) (p process, err error) {
	p = process{cmd: exec.Command(program, args...), name: filepath.Base(program), complaint: new(strings.Builder), late: new(lateness)}
	if len(args) > 0 {
		p.name = filepath.Base(args[0])
	}
	p.cmd.Env = append(os.Environ(), "PYTHONUNBUFFERED=1")
	p.cmd.Stderr = p.complaint
	asked, in, err := os.Pipe()
	if err != nil {
		return p, err
	}
	out, answered, err := os.Pipe()
	if err != nil {
		return p, errors.Join(err, asked.Close(), in.Close())
	}
	p.cmd.Stdin, p.cmd.Stdout, p.stdin, p.stdout = asked, answered, in, out
	err = errors.Join(p.cmd.Start(), asked.Close(), answered.Close())
	if err != nil {
		return p, errors.Join(err, in.Close(), out.Close())
	}
	return p, nil
}

// answers reads the program's standard output.
type answers struct{ process }

// Read waits until the timeout.
func (a answers) Read(b []byte) (int, error) {
	a.stdout.SetReadDeadline(time.Now().Add(timeout)) //nolint:errcheck // without deadlines on pipes, nothing is late
	n, err := a.stdout.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = a.kill("no answer for %v", timeout)
	}
	return n, err
}

// maxPart is how many bytes of a question the program must read within the timeout.
const maxPart = 1 << 16

// Write writes to the program's standard input.
func (p process) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		p.stdin.SetWriteDeadline(time.Now().Add(timeout)) //nolint:errcheck // as above
		var part int
		part, err = p.stdin.Write(b[n:min(len(b), n+maxPart)])
		n += part
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = p.kill("has not read its input for %v", timeout)
	}
	return n, err
}

// Close ends the program's standard input.
func (p process) Close() error { return p.stdin.Close() }

// kill ends the program, and returns the first reason for that, with the program's name.
func (p process) kill(format string, args ...any) error {
	p.late.Lock()
	defer p.late.Unlock()
	if p.late.err == nil {
		p.late.err = fmt.Errorf(p.name+": "+format, args...)
		p.cmd.Process.Kill() //nolint:errcheck // it may have ended already
	}
	return p.late.err
}

// End closes the program's standard input and waits for it to exit. Output on standard error is an error.
func (p process) End() error {
	p.stdin.Close()
	io.Copy(io.Discard, answers{p}) //nolint:errcheck // a full pipe would block it from exiting
	stuck := time.AfterFunc(timeout, func() {
		p.kill("has not exited for %v", timeout) //nolint:errcheck // reported by late
	})
	err := p.cmd.Wait()
	stuck.Stop()
	p.stdout.Close()
	p.late.Lock()
	defer p.late.Unlock()
	if p.late.err != nil {
		err = p.late.err
	}
	if text := p.complaint.String(); text != "" {
		err = errors.Join(err, errors.New(text))
	}
	return err
}
