package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/random"
)

// way is a command that writes, and the files that it reads. OUT is an output that the user names; otherwise derived is the name that the
// program chooses.
type way struct {
	args    string
	reads   []string
	derived string
	stdin   string // the file that is standard input
}

// ways are all ways in which commands write a file.
var ways = []way{
	{args: "convert x.npy --to nhwc -o OUT", reads: []string{"x.npy"}},
	{args: "convert x.npy OUT --to nhwc", reads: []string{"x.npy"}},
	{args: "convert x.npy --from nhwc --to nchw4 -o OUT --verify", reads: []string{"x.npy"}},
	{args: "convert x.npy --config c.yaml --to nhwc -o OUT", reads: []string{"x.npy", "c.yaml"}},
	{args: "convert x.npy --raw --shape 4 --dtype float32 --skip 592 --to c -o OUT", reads: []string{"x.npy"}},
	{args: "convert - --to nhwc -o OUT", reads: []string{"x.npy"}, stdin: "x.npy"},
	{args: "convert weights.npz --to c -o OUT", reads: []string{"weights.npz"}},
	{args: "convert weights.npz:w --to c -o OUT", reads: []string{"weights.npz"}},
	{args: "convert model.pt -o OUT", reads: []string{"model.pt"}},
	{args: "convert model.pt:conv1.weight --to c -o OUT", reads: []string{"model.pt"}},
	{args: "convert m.index.json -o OUT", reads: []string{"m.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}},
	{args: "convert m.index.json:fc.weight --to c -o OUT", reads: []string{"m.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}},
	{args: "draw x.npy -o OUT --as svg", reads: []string{"x.npy"}},
	{args: "convert -@ --to nhwc -d out --from nchw", reads: []string{"list.txt"}, derived: "out/x.nhwc.npy", stdin: "list.txt"},
	{args: "draw weights.npz:w -o OUT --as svg", reads: []string{"weights.npz"}},
	{args: "draw - -o OUT --as svg", reads: []string{"x.npy"}, stdin: "x.npy"},
	{args: "bench x.npy " + quick + " -o OUT", reads: []string{"x.npy"}},
	{args: "convert x.npy --to nhwc", reads: []string{"x.npy"}, derived: "x.nhwc.npy"},
	{args: "convert x.npy --from nhwc --to nchw4", reads: []string{"x.npy"}, derived: "x.nchw4c.npz"},
	{args: "convert weights.npz --to c", reads: []string{"weights.npz"}, derived: "weights.c.npz"},
	{args: "convert model.pt -d out", reads: []string{"model.pt"}, derived: "out/conv1.weight.npy"},
	{args: "convert model.pt -d out --verify", reads: []string{"model.pt"}, derived: "out/conv1.weight.npy"},
	{args: "convert m.index.json -d out", reads: []string{"m.index.json", "model-00002-of-00002.safetensors"}, derived: "out/fc.weight.npy"},
	{args: "convert x.npy y.npy --to nhwc -d out", reads: []string{"x.npy", "y.npy"}, derived: "out/x.nhwc.npy"},
	{args: "convert x.npy y.npy --to nhwc -d .", reads: []string{"x.npy", "y.npy"}, derived: "x.nhwc.npy"},
	{args: "convert in --to nhwc -d out", reads: []string{"in/x.npy", "in/sub/y.npy"}, derived: "out/sub/y.nhwc.npy"},
	{args: "convert in --to nhwc -d out --shard 0/1", reads: []string{"in/x.npy", "in/sub/y.npy"}, derived: "out/sub/y.nhwc.npy"},
	{args: "convert @list.txt --to nhwc -d out", reads: []string{"x.npy", "y.npy", "list.txt"}, derived: "out/x.nhwc.npy"},
	{args: "convert -@ --to nhwc -d out", reads: []string{"x.npy", "y.npy"}, derived: "out/x.nhwc.npy", stdin: "list.txt"},
	{args: "convert x.npy weights.npz model.pt --to c -d out", derived: "out/model.c.pt", reads: []string{"x.npy", "model.pt"}},
	{args: "convert x.npy weights.npz model.pt --to c -d out", derived: "out/weights.c.npz", reads: []string{"x.npy", "weights.npz"}},
}

// spellings are the ways to name an input by an output's path; the plain name only if the user types it.
var spellings = []string{"name", "other path", "hard link", "symbolic link", "link to a link", "folder", "descriptor"}

// TestOutputIsInput: no way to write replaces an input, whatever the spelling and the flags: the program refuses before it writes.
func TestOutputIsInput(t *testing.T) {
	c := countTrials(t)
	files := inputFiles(t)
	for _, w := range ways {
		w.works(t, files)
		dir := w.stage(t, files) // shared by all trials: none changes it
		for _, input := range w.reads {
			for _, spelling := range spellings {
				if w.derived != "" && !strings.HasSuffix(spelling, "link") {
					continue
				}
				for _, flag := range random.Sample([]string{"--force", "", "--update"}, 3) {
					w.try(t, c, dir, files, input, spelling, flag)
				}
			}
		}
	}
}

// works checks that the command writes the output of the trials if there is no conflict.
func (w way) works(t *testing.T, files map[string][]byte) {
	t.Helper()
	w.stage(t, files)
	out := w.output(w.reads[0])
	if got := w.run(t, out); got.code != 0 {
		t.Errorf("%s: exit code %d: %s", w.args, got.code, got.err)
	} else if _, err := os.Stat(out); err != nil {
		t.Errorf("%s: %v", w.args, err)
	}
}

// stage writes the files into a new working folder.
func (w way) stage(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Chdir(dir)
	for name, content := range files {
		cli.Must(os.MkdirAll(filepath.Dir(name), 0o777))
		cli.Must(os.WriteFile(name, content, 0o666))
		cli.Must(os.Chtimes(name, time.Unix(1e9, 0), time.Unix(1e9, 0)))
	}
	return dir
}

// output returns the name of the output. If the user names it, it has the input's ending, where the command can write such files.
func (w way) output(input string) string {
	if w.derived != "" {
		return w.derived
	}
	ends := filepath.Ext(input)
	switch {
	case strings.HasPrefix(w.args, "draw"):
		ends = ".svg"
	case strings.HasPrefix(w.args, "bench"):
		ends = ".json"
	case ends == ".yaml":
		ends = ".npy"
	case ends == ".json":
		ends = ".safetensors"
	}
	return "other" + ends
}

// run runs the command with this output and more flags.
func (w way) run(t *testing.T, out string, flags ...string) outcome {
	t.Helper()
	args := append(strings.Fields(strings.ReplaceAll(w.args, "OUT", out)), flags...)
	var changes []func(*cli.Streams)
	if w.stdin != "" {
		stdin := fixture.Must(os.Open(w.stdin))
		defer stdin.Close()
		changes = append(changes, func(s *cli.Streams) { s.In = stdin })
	}
	return runIn(t, changes, args...)
}

// try runs the command with one of its inputs as the output.
func (w way) try(t *testing.T, c *trials, dir string, files map[string][]byte, input, spelling, flag string) {
	t.Helper()
	out := w.output(input)
	for _, name := range []string{out, "between", "linked"} {
		os.Remove(name) //nolint:errcheck // of the trial before
	}
	cli.Must(os.MkdirAll(filepath.Dir(out), 0o777))
	absolute := filepath.Join(dir, input)
	switch spelling {
	case "name":
		out = input
	case "other path":
		out = "./in/../" + input
	case "hard link":
		cli.Must(os.Link(input, out))
	case "symbolic link":
		cli.Must(os.Symlink(absolute, out))
	case "link to a link":
		cli.Must(os.Symlink(absolute, "between"))
		cli.Must(os.Symlink(filepath.Join(dir, "between"), out))
	case "folder":
		cli.Must(os.Symlink(dir, "linked"))
		out = "linked/" + input
	case "descriptor":
		open := fixture.Must(os.OpenFile(input, os.O_RDWR, 0))
		defer open.Close()
		out = fmt.Sprintf("/proc/self/fd/%d", open.Fd())
	}
	var flags []string
	if flag != "" && (strings.HasPrefix(w.args, "convert") || flag == "--force") {
		flags = []string{flag}
	}
	before := allFiles(t, dir)
	got := w.run(t, out, flags...)
	var problems []string
	if got.code == 0 {
		problems = append(problems, "exit code 0: "+got.out)
	}
	after := allFiles(t, dir)
	for name, content := range files {
		if string(after[name]) != string(content) {
			problems = append(problems, fmt.Sprintf("input %s was replaced: %s", name, got.err))
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			problems = append(problems, name+" was written")
		}
	}
	c.try(t, fmt.Sprintf("%s of %s as %s: %s %v", spelling, input, out, w.args, flags), fmt.Sprint("exit code ", got.code), problems...)
}

// TestStdoutIsInput: no command appends its output to its input.
func TestStdoutIsInput(t *testing.T) {
	files := inputFiles(t)
	for _, w := range []way{
		{args: "convert x.npy --to nhwc -o -", reads: []string{"x.npy"}},
		{args: "draw x.npy", reads: []string{"x.npy"}},
		{args: "draw x.npy --as svg -o -", reads: []string{"x.npy"}},
		{args: "bench x.npy " + quick, reads: []string{"x.npy"}},
		{args: "bench x.npy " + quick + " --json", reads: []string{"x.npy"}},
	} {
		dir := w.stage(t, files)
		for _, input := range w.reads {
			stdout := fixture.Must(os.OpenFile(input, os.O_WRONLY|os.O_APPEND, 0))
			got := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.Out = stdout }}, strings.Fields(w.args)...)
			stdout.Close()
			if got.code != 2 || string(allFiles(t, dir)[input]) != string(files[input]) {
				t.Errorf("%s >>%s: exit code %d, %s", w.args, input, got.code, got.err)
			}
		}
	}
}

// inputFiles are the files that the ways read.
func inputFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		"c.yaml": []byte("convert:\n  verify: true\n"), "list.txt": []byte("x.npy\ny.npy\n"),
	}
	for i, name := range []string{"x.npy", "y.npy", "in/x.npy", "in/sub/y.npy"} {
		content := fixture.Must(fixture.Npy("<f4", []int{2, 3, 4, 5}, false))
		content[len(content)-1] = byte(i)
		files[name] = content
	}
	for name, from := range map[string]string{"weights.npz": "weights.npz", "model.pt": "model.pt", "m.index.json": "checkpoints/model.safetensors.index.json",
		"model-00001-of-00002.safetensors": "checkpoints/model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors": "checkpoints/model-00002-of-00002.safetensors"} {
		files[name] = fixture.Must(os.ReadFile(filepath.Join(testdataDir, from)))
	}
	return files
}

// allFiles returns the regular files below a folder, also through links.
func allFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	cli.Must(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() {
			found[fixture.Must(filepath.Rel(dir, path))], err = os.ReadFile(path)
		}
		return err
	}))
	return found
}

// TestPreparedFolder: somebody who prepares the folder of results gains nothing: targets of links are neither written nor created, a pipe does
// not block the command, and only regular files are replaced, with and without --force and --update.
func TestPreparedFolder(t *testing.T) {
	c := countTrials(t)
	files := inputFiles(t)
	for _, w := range []way{
		{args: "convert in --to nhwc -d out", derived: "out/sub/y.nhwc.npy"},
		{args: "convert x.npy y.npy --to nhwc -d out --durable", derived: "out/y.nhwc.npy"},
		{args: "convert model.pt -d out", derived: "out/conv1.weight.npy"},
		{args: "convert x.npy --to nhwc", derived: "x.nhwc.npy"},
		{args: "convert weights.npz --to c", derived: "weights.c.npz"},
	} {
		for _, prepared := range []string{"file link", "dangling link", "loop", "pipe", "device link", "directory", "subfolder link", "subfolder dangling", "subfolder link inside", "subfolder pipe", "null link", "old journal"} {
			for _, flag := range random.Sample([]string{"--force", "", "--update"}, 3) {
				w.tryPrepared(t, c, files, prepared, flag)
			}
		}
	}
}

func (w way) tryPrepared(t *testing.T, c *trials, files map[string][]byte, prepared, flag string) {
	t.Helper()
	dir := w.stage(t, files)
	const precious = "precious"
	cli.Must(os.MkdirAll("elsewhere/home", 0o777))
	cli.Must(os.WriteFile("elsewhere/home/.bashrc", []byte(precious), 0o666))
	elsewhere := filepath.Join(dir, "elsewhere", "home")
	sub := filepath.Dir(w.derived)
	if strings.HasPrefix(prepared, "subfolder") {
		if sub != "out/sub" {
			return
		}
		cli.Must(os.MkdirAll("out", 0o777))
	} else {
		cli.Must(os.MkdirAll(sub, 0o777))
	}
	refused := true
	switch prepared {
	case "file link":
		cli.Must(os.Symlink(filepath.Join(elsewhere, ".bashrc"), w.derived))
	case "dangling link":
		cli.Must(os.Symlink(filepath.Join(elsewhere, "new"), w.derived))
	case "loop":
		cli.Must(os.Symlink(filepath.Base(w.derived), w.derived))
	case "pipe":
		cli.Must(syscall.Mkfifo(w.derived, 0o666))
	case "device link":
		cli.Must(os.Symlink("/dev/zero", w.derived))
	case "directory":
		cli.Must(os.Mkdir(w.derived, 0o777))
	case "subfolder link":
		cli.Must(os.Symlink(elsewhere, sub))
	case "subfolder link inside":
		cli.Must(os.Mkdir("out/other", 0o777))
		cli.Must(os.Symlink("other", sub))
	case "subfolder pipe":
		cli.Must(syscall.Mkfifo(sub, 0o666))
	case "null link":
		cli.Must(os.Symlink(os.DevNull, w.derived))
	case "subfolder dangling":
		cli.Must(os.Symlink(filepath.Join(elsewhere, "new"), sub))
	case "old journal":
		refused = false
		cli.Must(os.MkdirAll(filepath.Join(sub, ".tlayout"), 0o777))
		cli.Must(os.Symlink(filepath.Join(elsewhere, ".bashrc"), filepath.Join(sub, ".tlayout", "00000-of-00001.made")))
		cli.Must(syscall.Mkfifo(filepath.Join(sub, ".tlayout", "x.made"), 0o666))
	}
	args := strings.Fields(w.args)
	if flag != "" {
		args = append(args, flag)
	}
	got := runIn(t, nil, args...)
	var problems []string
	if refused && got.code != 5 || !refused && got.code != 0 {
		problems = append(problems, fmt.Sprintf("exit code %d: %s", got.code, got.err))
	}
	names := []string{}
	for _, e := range fixture.Must(os.ReadDir(elsewhere)) {
		names = append(names, e.Name())
	}
	if content := fixture.Must(os.ReadFile(filepath.Join(elsewhere, ".bashrc"))); string(content) != precious || !slices.Equal(names, []string{".bashrc"}) {
		problems = append(problems, fmt.Sprintf("elsewhere has %q, with %q", names, content))
	}
	for name, content := range files {
		if string(fixture.Must(os.ReadFile(name))) != string(content) {
			problems = append(problems, "input "+name+" was replaced")
		}
	}
	c.try(t, fmt.Sprintf("%s: %q", prepared, args), fmt.Sprint("exit code ", got.code), problems...)
}
