package draw

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// arrays lists the sources that the first argument stands for, if they are several: those of an archive.
func (o *options) arrays(a *cli.App) ([]string, error) {
	if o.HasShape() || len(o.args) != 1 {
		return nil, nil
	}
	names, err := source.Expand(o.args[0], o.Options(a))
	if err != nil || len(names) < 2 {
		return nil, err
	}
	return names, nil
}

// maxArrays is how many arrays one command draws.
const maxArrays = 1000

// runEach draws several arrays, one after the other or each into its file. It continues after one that cannot be drawn, and
// returns the first such error.
func runEach(a *cli.App, o *options, names []string) error {
	const hint = "-o 'x-%%s.svg' names a file for each"
	toFile := o.out != "" && o.out != source.Stdin
	count := words.Count(len(names), "array")
	switch {
	case o.open:
		return fault.New(fault.Usage, "--open shows one picture, and %s has %s", words.Quoted(o.args[0]), count)
	case toFile && !strings.Contains(filepath.Base(o.out), "%s"):
		return fault.New(fault.Usage, "%s is one file, and %s has %s", words.Quoted(o.out), words.Quoted(o.args[0]), count).WithHint(hint)
	case !toFile && o.as != kindText && a.Format == cli.Table:
		return fault.New(fault.Usage, "standard output takes one picture, and %s has %s", words.Quoted(o.args[0]), count).WithHint(hint)
	}
	if len(names) > maxArrays {
		return fault.New(fault.Usage, "%s has %s, and draw takes %d at once", words.Quoted(o.args[0]), count, maxArrays).WithHint("'x.npz:conv*' takes those of matching names")
	}
	out := a.Reports(false)
	out.Apart = true
	var first error
	files := map[string]string{}
	for _, name := range names {
		if other, taken := files[fileName(name)]; toFile && taken {
			return fault.New(fault.Usage, "%s and %s would be drawn into one file", words.Quoted(other), words.Quoted(name)).
				WithHint("draw them one by one, each with its own -o")
		}
		files[fileName(name)] = name
	}
	var opener source.Opener
	defer opener.Close()
	for _, name := range names {
		one := *o
		one.Opener = &opener
		one.args = []string{name}
		if toFile {
			one.out = filepath.Join(filepath.Dir(o.out), strings.ReplaceAll(filepath.Base(o.out), "%s", fileName(name)))
		}
		if err := runOne(a, &one, out); err != nil {
			a.PrintError(err)
			first = cmp.Or(first, err)
		}
	}
	return cli.Said(first)
}

// fileName is the array's name as a part of a file's: conv_w of x.npz:conv/w.
func fileName(name string) string {
	p, _ := source.Locate(name)
	return strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(words.Quote(p.Member))
}
