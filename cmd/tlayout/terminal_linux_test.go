package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

// openTerminal makes a pseudo-terminal: screen reads what is written to terminal.
func openTerminal(t *testing.T, columns uint16) (screen, terminal *os.File) {
	t.Helper()
	need.Terminals(t)
	screen = fixture.Must(os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0))
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	cli.Must(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number := fixture.Must(unix.IoctlGetInt(fd, unix.TIOCGPTN))
	cli.Must(unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	terminal = fixture.Must(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0))
	t.Cleanup(func() { terminal.Close() })
	return screen, terminal
}

// TestNoBinaryToTerminal: no command writes data to a terminal.
func TestNoBinaryToTerminal(t *testing.T) {
	_, terminal := openTerminal(t, 80)
	in := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	o := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.Out = terminal }}, "convert", in, "--to", "nhwc", "-o", "-")
	want := "tlayout: error: refusing to write binary data to a terminal\ntlayout: hint: redirect it, or use -o FILE\n"
	if o.code != 2 || o.err != want {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
}

// TestRealTerminal: the program determines the width of its terminal, and prints headings in bold there.
func TestRealTerminal(t *testing.T) {
	for _, columns := range []uint16{0, 60, 80, 200} {
		screen, terminal := openTerminal(t, columns)
		cmd := exec.Command("tlayout", "inspect", "--shape", "1,3,4,4", "--strides", "3,1,12,3")
		cmd.Stdout, cmd.Stderr = terminal, new(bytes.Buffer)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=xterm", "LC_ALL=C.UTF-8"}
		cmd.Dir = t.TempDir()
		shown := make(chan string)
		go func() { shown <- readUntil(screen, "candidates end", 64<<10) }()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, cmd.Stderr)
		}
		fmt.Fprint(terminal, "candidates end")
		var text string
		select {
		case text = <-shown:
		case <-time.After(10 * time.Second):
			t.Fatal("the terminal shows nothing")
		}
		inOneLine := strings.Contains(text, "the suggestion compares the strides of size-1 dims too; is_contiguous ignores them")
		if !strings.Contains(text, "\x1b[1mtensor: ") || inOneLine != (columns == 200) {
			t.Errorf("at %d columns:\n%s", columns, text)
		}
	}
}

// TestTerminals: in real terminals of 80 and 200 columns, with and without color, and in a locale without UTF-8, no line is wider than the
// terminal, and only headings and cells are colored. The program gets the width from the terminal.
func TestTerminals(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, make := range map[string]func() []byte{"x.npy": fixtures["x.npy"], "photo.npy": fixtures["photo.npy"]} {
		writeHere(t, name, make())
	}
	script := strings.Join([]string{
		"inspect photo.npy", "inspect x.npy --all", "convert x.npy --to nhwc --dry-run", "plan x.npy --to nhwc", "offset x.npy 1 2 3 4 --line-size 64",
		"formats", "formats nhwc", "trace x.npy 'permute(0,2,3,1)' 'view(-1)'", "check x.npy photo.npy --packed --rank 3", "diff x.npy photo.npy",
		"draw x.npy", "inspect none.npy",
	}, "\ntlayout ")
	for _, columns := range []uint16{80, 200} {
		for _, env := range []string{"LC_ALL=C.UTF-8", "NO_COLOR=1", "LC_ALL=C"} {
			text := onScreen(t, dir, columns, env, "tlayout "+script)
			for line := range strings.SplitSeq(plainText(text), "\r\n") {
				if w := displaywidth.String(line); w > int(columns) {
					t.Errorf("%s at %d columns: %d columns wide: %s", env, columns, w, line)
				}
			}
			ascii := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
			if colored := strings.Contains(text, "\x1b["); ascii != (env == "LC_ALL=C") || colored == (env == "NO_COLOR=1") {
				t.Errorf("%s at %d columns: ASCII is %t, colored is %t:\n%s", env, columns, ascii, colored, text)
			}
			if n := strings.Count(text, "\r\n"); n < 150 {
				t.Errorf("%s at %d columns: %d lines", env, columns, n)
			}
		}
	}
}

// onScreen returns what a shell script writes to a terminal with this many columns, on standard output and error.
func onScreen(t *testing.T, dir string, columns uint16, env, script string) string {
	t.Helper()
	screen, terminal := openTerminal(t, columns)
	const end = "end of script"
	cmd := exec.Command("sh", "-c", script+"\necho "+end)
	cmd.Stdout, cmd.Stderr, cmd.Dir = terminal, terminal, dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", env}
	shown := make(chan string, 1)
	go func() { shown <- readUntil(screen, end, 1<<20) }()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-shown:
		return text
	case <-time.After(20 * time.Second):
		t.Fatal("the terminal shows nothing")
	}
	return ""
}

// readUntil reads until the text is there.
func readUntil(f *os.File, end string, limit int) string {
	var text []byte
	block := make([]byte, 4096)
	for len(text) < limit && !strings.Contains(string(text), end) {
		n, err := f.Read(block)
		if text = append(text, block[:n]...); err != nil {
			break
		}
	}
	return string(text)
}
