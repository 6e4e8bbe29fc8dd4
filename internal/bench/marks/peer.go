package marks

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// peer is a program that answers rows on its standard input, as testdata/peers/README.md says.
type peer struct {
	name, version string
	cmd           *exec.Cmd
	in            io.WriteCloser
	out           *bufio.Reader
	complaint     strings.Builder
	asked         int
}

func startPeer(name, file string, args ...string) (*peer, error) {
	p := &peer{name: name, cmd: exec.Command(file, args...)}
	p.cmd.Stderr = &p.complaint
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	line, err := p.line("version")
	if err != nil {
		return nil, err
	}
	p.version = strings.TrimPrefix(line, "version ")
	return p, nil
}

func (p *peer) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// ask has a row run, "N C H W ITEMSIZE FROM TO"; false where the peer cannot.
func (p *peer) ask(question string) (seconds float64, can bool, err error) {
	p.asked++
	id := strconv.Itoa(p.asked)
	line, err := p.line(id + " " + question)
	if err != nil {
		return 0, false, err
	}
	seconds, can, err = parseAnswer(id, line)
	if err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
	}
	return seconds, can, err
}

// line is the answer to a line.
func (p *peer) line(question string) (string, error) {
	_, askErr := fmt.Fprintln(p.in, question)
	line, err := p.out.ReadString('\n')
	if askErr != nil || err != nil {
		p.stop()
		return "", fmt.Errorf("%s does not answer %q: %s", p.name, question, strings.TrimSpace(p.complaint.String()))
	}
	return strings.TrimSpace(line), nil
}

// parseAnswer reads "ID SECONDS", "ID -" where the peer cannot, and "ID ! what is wrong", which is an error.
func parseAnswer(id, line string) (seconds float64, can bool, err error) {
	answered, text, _ := strings.Cut(line, " ")
	if answered != id {
		return 0, false, fmt.Errorf("%q is no answer to %s", line, id)
	}
	if text == "-" {
		return 0, false, nil
	}
	if wrong, ok := strings.CutPrefix(text, "! "); ok {
		return 0, false, fmt.Errorf("it says %s", wrong)
	}
	if seconds, err = strconv.ParseFloat(text, 64); err != nil || !(seconds > 0) {
		return 0, false, fmt.Errorf("%q are no seconds", text)
	}
	return seconds, true, nil
}
