package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	memory "github.com/tlayout/tlayout/internal/hostile"
)

// Limits of one command line. Busy machines stay within the time, hangs do not.
const (
	lineSeconds = 20
	lineBytes   = 512 << 20 // total allocations
	lineOutput  = 4 << 20   // standard output is full then
)

// place is a folder with small files of all kinds where command lines run.
type place struct {
	dir     string
	files   map[string][]byte
	infos   map[string]os.FileInfo
	given   string   // the file that put wrote
	colored bool     // a settings file asks for colors
	aside   *os.File // the process's standard output and error, which must stay unused
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), files: map[string][]byte{}, infos: map[string]os.FileInfo{}}
	for _, path := range smallFiles {
		p.files[filepath.Base(path)] = fixture.Must(os.ReadFile(filepath.Join("../../testdata", path)))
	}
	for name, text := range made {
		p.files[name] = []byte(text)
	}
	p.restore(t, true)
	p.aside = fixture.Must(os.Create(filepath.Join(t.TempDir(), "aside")))
	t.Cleanup(func() { p.aside.Close() })
	return p
}

// put replaces the file that it wrote before.
func (p *place) put(name string, content []byte) {
	if p.given != "" && p.given != name {
		delete(p.files, p.given)
		cli.Must(os.RemoveAll(filepath.Join(p.dir, p.given)))
	}
	p.given, p.files[name] = name, content
	p.write(name)
}

// restore restores the folder and returns the names of new files. No file may have changed, unless force or --update allows it.
func (p *place) restore(t testing.TB, force bool) (fresh []string) {
	t.Helper()
	left := map[string]bool{}
	for _, entry := range fixture.Must(os.ReadDir(p.dir)) {
		name := entry.Name()
		if _, kept := p.files[name]; !kept {
			fresh = append(fresh, name)
			cli.Must(os.RemoveAll(filepath.Join(p.dir, name)))
			continue
		}
		info := fixture.Must(entry.Info())
		left[name] = p.infos[name] != nil && os.SameFile(info, p.infos[name]) && info.ModTime().Equal(p.infos[name].ModTime()) && info.Size() == p.infos[name].Size()
	}
	for name := range p.files {
		if left[name] {
			continue
		}
		if got, err := os.ReadFile(filepath.Join(p.dir, name)); !force && !bytes.Equal(got, p.files[name]) {
			t.Errorf("%q is changed without --force: %v", name, err)
		}
		p.write(name)
	}
	return fresh
}

// write rewrites a file of the folder.
func (p *place) write(name string) {
	path := filepath.Join(p.dir, name)
	cli.Must(os.RemoveAll(path))
	cli.Must(os.WriteFile(path, p.files[name], 0o644))
	p.infos[name] = fixture.Must(os.Lstat(path))
}

// limited is a standard output with a bounded size.
type limited struct {
	bytes.Buffer
	full bool
}

func (l *limited) Write(text []byte) (int, error) {
	if l.Len()+len(text) > lineOutput {
		l.full = true
		return 0, os.ErrClosed
	}
	return l.Buffer.Write(text)
}

var paint = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// run runs a command line in the folder, checks what every command promises, and returns the exit code: one of the table, with an error
// message from 2 on; inert text, and documents valid by their schemas; bounded time and memory; no new file after a usage error, and no
// changed one without --force or --update.
func (p *place) run(t testing.TB, in []byte, args []string, env map[string]string) int {
	t.Helper()
	var out, errs limited
	s := &cli.Streams{In: bytes.NewReader(in), Out: &out, Err: &errs, Unicode: true, UserDir: "/nonexistent",
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	for name := range env {
		s.Variables = append(s.Variables, name)
	}
	what := typedLine(args, env)
	log := os.Stderr // where go test ends a hang, it does not name the line
	slow := time.AfterFunc(lineSeconds*time.Second, func() { fmt.Fprintf(log, "%s takes more than %d s\n", what, lineSeconds) })
	before := memory.Allocated()
	code := p.alone(t, what, func() int { return cli.Run(args, s, command.NewRoot) })
	used := memory.Allocated() - before
	slow.Stop()
	if used > lineBytes {
		t.Errorf("%s allocates %d MiB", what, used>>20)
	}
	told := strings.HasPrefix(errs.String(), "tlayout: error: ") || strings.Contains(errs.String(), "\ntlayout: error: ") ||
		strings.Contains(errs.String(), `"level":"error"`)
	switch {
	case code < 0 || code > 5:
		t.Errorf("%s: exit code %d", what, code)
	case code >= 2 && !told:
		t.Errorf("%s: exit code %d without an error: %q", what, code, errs.String())
	case code == 0 && told:
		t.Errorf("%s: exit code 0 with an error: %q", what, errs.String())
	case code == 1 && out.Len()+errs.Len() == 0:
		t.Errorf("%s: exit code 1 and not a word", what)
	case out.full && code != 5:
		t.Errorf("%s: exit code %d, and standard output is full", what, code)
	}
	every := slices.Concat(args, slices.Collect(maps.Values(env)))
	colored := p.colored || slices.ContainsFunc(every, func(a string) bool { return strings.Contains(a, "always") || strings.Contains(a, "colored.yaml") })
	for i, text := range []string{out.String(), errs.String()} {
		if i == 0 && slices.ContainsFunc(every, func(a string) bool {
			return a == "-" || a == "png" || strings.HasSuffix(a, "=png") || strings.HasSuffix(a, "=-") || strings.HasPrefix(a, "-o") && strings.HasSuffix(a, "-")
		}) {
			continue // it may be a file
		}
		if colored {
			text = paint.ReplaceAllString(text, "")
		}
		if at := acts(text); at != "" {
			t.Errorf("%s prints %q", what, at)
		}
		if err := validate([]byte(text)); err != nil && !out.full {
			t.Errorf("%s: %v\n%.300s", what, err, text)
		}
	}
	force := slices.ContainsFunc(every, func(a string) bool { return strings.Contains(a, "force") || strings.Contains(a, "update") }) || len(env) > 0
	if fresh := p.restore(t, force); code == 2 && len(fresh) > 0 {
		t.Errorf("%s: exit code 2, and there are %q", what, fresh)
	}
	return code
}

// alone runs the program and returns what it writes outside its streams, except cobra's errors of completion.
func (p *place) alone(t testing.TB, what string, program func() int) int {
	out, errs := os.Stdout, os.Stderr
	defer func() { os.Stdout, os.Stderr = out, errs }()
	os.Stdout, os.Stderr = p.aside, p.aside
	code := program()
	if n := fixture.Must(p.aside.Seek(0, io.SeekCurrent)); n > 0 {
		text := make([]byte, n)
		fixture.Must(p.aside.ReadAt(text, 0))
		if !bytes.HasPrefix(text, []byte("[Debug] [Error] ")) || acts(string(text)) != "" {
			t.Errorf("%s writes past its streams: %q", what, text)
		}
		cli.Must(p.aside.Truncate(0))
		fixture.Must(p.aside.Seek(0, io.SeekStart))
	}
	return code
}

// input returns the content of standard input.
func (p *place) input(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	return [][]byte{nil, p.files["x.npy"], p.files["weights.npz"], data, p.files["cut.npy"]}[int(data[len(data)-1])%5]
}

// FuzzCommandLine runs command lines that the bytes choose, in a folder of small files, and checks what every command promises.
func FuzzCommandLine(f *testing.F) {
	draw := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		f.Add(randomBytes(draw, 60))
	}
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		t.Chdir(p.dir)
		args, env := commandLine(data)
		if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
			t.Skip("cobra keeps all flags of each request for completions, TestCommandLines makes some")
		}
		p.run(t, p.input(data), args, env)
	})
}

func randomBytes(draw *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(draw.Uint32())
	}
	return data
}

// lines returns the number of command lines of a test.
func lines() int {
	if text := os.Getenv("TLAYOUT_TEST_COMMAND_LINES"); text != "" {
		return fixture.Must(strconv.Atoi(text))
	}
	return 300
}

// TestCommandLines is FuzzCommandLine with random bytes: TLAYOUT_TEST_COMMAND_LINES of them, or 300.
func TestCommandLines(t *testing.T) {
	n := lines()
	p := newPlace(t)
	t.Chdir(p.dir)
	count := countTrials(t)
	draw := rand.New(rand.NewPCG(13, 14))
	codes := map[int]int{}
	for range n {
		data := randomBytes(draw, 60)
		args, env := commandLine(data)
		code := p.run(t, p.input(data), args, env)
		codes[code]++
		count.try(t, "", fmt.Sprintf("exit code %d", code))
	}
	if codes[0] < n/20 || codes[2] < n/20 || codes[0]+codes[2] == n {
		t.Errorf("exit codes and how often: %v; hardly anything is understood", codes)
	}
}

// probing are commands that read F.
var probing = []string{"inspect F --json", "inspect F --all --limit 0", "inspect F --offsets --json", "check F --packed --finite --json", "diff F F", "diff F x.npy --json",
	"plan F --to nhwc --json", "convert F --to nhwc -o y.npy --verify", "convert F -d out", "draw F --limit 9", "trace F T --values --limit 9", "offset F 0 --json", "inspect F:* -f csv", "formats F", "graph F --json", "graph F --all",
	"graph F -o y.svg --force", "F"}

// endings are the endings of file names, known and unknown ones.
var endings = []string{".npy", ".npz", ".pt", ".safetensors", ".gguf", ".onnx", ".pt2", ".safetensors.index.json", ".nhwc.npy", ".json.gz", ".log", ".txt", ".json"}

// FuzzFile has every command read any bytes, as a file of every kind, and checks what every command promises.
func FuzzFile(f *testing.F) {
	p := newPlace(f)
	for name, content := range p.files {
		for i, ending := range endings {
			if strings.HasSuffix(name, ending) && len(content) < 4000 {
				for k := range probing {
					f.Add(content, byte(i), byte(k))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, ending, how byte) {
		t.Chdir(p.dir)
		p.probe(t, content, ending, how)
	})
}

// probe runs a command of probing on a file, and returns the exit code.
func (p *place) probe(t testing.TB, content []byte, ending, how byte) int {
	t.Helper()
	name := "file" + endings[int(ending)%len(endings)]
	p.put(name, content)
	args := strings.Fields(strings.ReplaceAll(probing[int(how)%len(probing)], "F", name))
	return p.run(t, nil, args, nil)
}

// TestDamagedFiles is FuzzFile with small files, some bytes changed: TLAYOUT_TEST_COMMAND_LINES of them, or 300.
func TestDamagedFiles(t *testing.T) {
	p := newPlace(t)
	t.Chdir(p.dir)
	var whole [][]byte
	for _, name := range baseNames(smallFiles) {
		whole = append(whole, p.files[name])
	}
	count := countTrials(t)
	draw := rand.New(rand.NewPCG(15, 16))
	codes := map[int]int{}
	for range lines() {
		of := draw.IntN(len(whole))
		content := damaged(draw, whole[of])
		ending := slices.IndexFunc(endings, func(e string) bool { return strings.HasSuffix(smallFiles[of], e) })
		if draw.IntN(8) == 0 {
			ending = draw.IntN(len(endings))
		}
		code := p.probe(t, content, byte(max(ending, 0)), byte(draw.Uint32()))
		codes[code]++
		count.try(t, "", fmt.Sprintf("exit code %d", code))
	}
	if codes[0] == 0 || codes[3] < lines()/20 {
		t.Errorf("exit codes and how often: %v; hardly anything is malformed", codes)
	}
}

// damaged returns a copy with some bytes changed or cut, or a part repeated.
func damaged(draw *rand.Rand, whole []byte) []byte {
	const digits = "0123456789,:()[]{}'\\ \x1b"
	content := slices.Clone(whole)
	for range 1 + draw.IntN(4) {
		at := draw.IntN(len(content))
		switch draw.IntN(8) {
		case 0:
			content = content[:at+1]
		case 1:
			content = slices.Insert(content, at, content[at:min(len(content), at+1+draw.IntN(16))]...)
		case 2:
			content[at] = []byte{0, 0xff, 0x7f, 0x80}[draw.IntN(4)]
		case 3:
			content[at] = digits[draw.IntN(len(digits))]
		default:
			content[at] ^= 1 << draw.IntN(8)
		}
	}
	return content
}

// FuzzSettings has several commands read any bytes as a settings file.
func FuzzSettings(f *testing.F) {
	for name, text := range made {
		if strings.HasSuffix(name, ".yaml") {
			f.Add([]byte(text), byte(0))
		}
	}
	f.Add([]byte("inspect: &a {shape: [2, 3], limit: 1.5}\nplan: *a\ndiff: {<<: *a, rtol: .inf}\n"), byte(1))
	f.Add([]byte("check.layout: nchw\ntrace: {cute: yes, limit: 0x10}\n---\ndraw: {}\n"), byte(2))
	f.Add([]byte("inspect: {color: \"\\e[31m\", dtype: !!binary aGk=, strides: 2001-01-01}\n"), byte(0))
	commands := []string{"inspect --shape=2,3,4,5 --config=f.yaml", "plan --shape=2,3,4,5 --config=f.yaml", "check x.npy --config=f.yaml", "diff x.npy x.npy --config=f.yaml -v",
		"formats --shape=2,3 --config=f.yaml", "trace --shape=2,3 T --config=f.yaml", "offset --shape=2,3 1,2 --config=f.yaml", "draw --shape=2,3 --config=f.yaml"}
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, text []byte, which byte) {
		t.Chdir(p.dir)
		p.put("f.yaml", text)
		args := strings.Fields(commands[int(which)%len(commands)])
		p.colored = bytes.Contains(text, []byte("always"))
		p.run(t, nil, args, nil)
	})
}

// FuzzFlagValue sets any flag of any command to any text: it is refused with a usage error, or accepted, and then the flag's String sets it
// to the same value again.
func FuzzFlagValue(f *testing.F) {
	tree := func() (all []*pflag.Flag) {
		for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
			c.LocalFlags().VisitAll(func(flag *pflag.Flag) { all = append(all, flag) })
		}
		return all
	}
	for i, flag := range tree() {
		f.Add(uint16(i), flag.DefValue)
		if subject := subjects[flag.Name]; subject != "" {
			f.Add(uint16(i), pools[subject][0])
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, text string) {
		all := tree()
		flag := all[int(which)%len(all)]
		if err := flag.Value.Set(text); err != nil {
			var e *fault.Error
			if errors.As(err, &e) && e.Class != fault.Usage && e.Class != fault.Unsupported {
				t.Fatalf("--%s %q: class %d, %v", flag.Name, text, e.Class, err)
			}
			return
		}
		said := flag.Value.String()
		if _, many := flag.Value.(pflag.SliceValue); many || said == "" || flag.Value.Type() == "size" {
			return // String abbreviates several values, and sizes
		}
		again := tree()[int(which)%len(all)]
		if err := again.Value.Set(said); err != nil || again.Value.String() != said {
			t.Fatalf("--%s %q is %q, which sets it to %q, %v", flag.Name, text, said, again.Value.String(), err)
		}
	})
}
