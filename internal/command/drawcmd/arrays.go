package drawcmd

import (
	"cmp"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// openSet opens the source and returns its tensors to draw.
func (o *options) openSet(a *cli.App) (picked []int, err error) {
	set, pattern, err := source.Open(o.args[0], o.Options(a))
	if err != nil {
		return nil, err
	}
	picked, err = set.Match(pattern)
	if err != nil {
		set.Close()
		return nil, err
	}
	if set.Format == checkpoint.JSON {
		picked = picked[:1] // opening it reports that there are several
	}
	o.set = set
	o.number = picked[0]
	if pattern == "" {
		o.number = -1
	}
	return picked, nil
}

// maxArrays bounds the arrays of one command.
const maxArrays = 1000

// runEach draws several arrays to standard output, or each into its file. It continues after an error, and returns the first one.
func runEach(a *cli.App, o *options, picked []int) error {
	toFile := !o.out.IsZero() && !o.out.IsStdin()
	if err := o.refuseEach(a, toFile, len(picked)); err != nil {
		return err
	}
	out := a.Reports(false)
	out.Spaced = true
	var first error
	files := map[string]name.Name{}
	for _, i := range picked {
		array := o.set.Name(i)
		file := fileName(o.set.Tensors[i].Name)
		if other, taken := files[file]; toFile && taken {
			return fault.New(fault.Usage, "%s and %s have the same output file", other, array).
				WithHint("draw them one by one, each with its own -o")
		}
		files[file] = array
	}
	for _, i := range picked {
		single := *o
		single.number = i
		single.args = []name.Name{o.set.Name(i)}
		if toFile {
			single.out = o.out.Sibling(strings.ReplaceAll(o.out.Base(), "%s", fileName(o.set.Tensors[i].Name)))
		}
		if err := runOne(a, &single, out); err != nil {
			a.PrintError(err)
			first = cmp.Or(first, err)
		}
	}
	return cli.Reported(first)
}

// refuseEach returns an error if flags apply to one picture, or the output holds only one, or if there are too many arrays.
func (o *options) refuseEach(a *cli.App, toFile bool, n int) error {
	const hint = "-o 'x-%%s.svg' names a file for each"
	count := text.Count(n, "array")
	if o.open {
		return fault.New(fault.Usage, "--open shows one picture, but %s has %s", o.args[0], count)
	}
	if toFile && !strings.Contains(o.out.Base(), "%s") {
		return fault.New(fault.Usage, "%s is one file, but %s has %s", o.out, o.args[0], count).WithHint(hint)
	}
	if !toFile && o.as != kindText && a.Format == cli.Table {
		return fault.New(fault.Usage, "standard output takes one picture, but %s has %s", o.args[0], count).WithHint(hint)
	}
	if n > maxArrays {
		return fault.New(fault.Usage, "%s has %s, but draw takes at most %d", o.args[0], count, maxArrays).WithHint("'x.npz:conv*' selects arrays by name")
	}
	return nil
}

// fileName returns an array's name as part of a file's: conv_w of conv/w.
func fileName(name string) string {
	return strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(text.Quote(name))
}
