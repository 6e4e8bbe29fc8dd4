// Package guesscmd is tlayout guess, which finds the shape of bytes that nothing describes.
package guesscmd

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/relate/dump"
	"github.com/tlayout/tlayout/internal/text"
)

type options struct {
	source name.Name
	out    name.Name
	force  bool
}

// NewCmd returns the command guess.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "guess DUMP",
		Short: "Guess the shape of a raw dump from its bytes",
		Long: `Guess the shape of a raw dump: element type, header, frames, planes, height,
width, channels, and the distance of rows, from how alike elements at a distance
are. Guesses are listed best first, with the commands that read the bytes so.
The score is 0 if neighbors are as different as elements far apart, and 1 if
they are equal. On a terminal, the first frame of the best guess is drawn; -o
x.png draws it into a file.

Images, masks, video frames in YUV 4:2:0 (nv12, i420, p010) and smooth
activations have a shape that shows, also as int32, int64 or floats of whole
numbers. Noise, weights, tokens, tables of indices or times, sound, text,
programs and compressed bytes have none: nothing is guessed, and the exit code
is 1.`,
		Example: `  tlayout guess dump.bin
  tlayout guess dump.bin -o dump.png
  tlayout guess - --json <dump.bin`,
		Args: cli.Args(1, 1, "dump", "tlayout guess dump.bin"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.source = name.Parse(args[0])
			return run(a, o)
		},
	}
	flags := cmd.Flags()
	flags.VarP((*cli.File)(&o.out), "output", "o", "draw the best guess into this `file`: .png")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	cli.HasSettings(cmd)
	cli.Group(cmd, "Where to", "output", "force")
	return cmd
}

func run(a *cli.App, o *options) error {
	if !o.out.IsZero() && o.out.Ending() != ".png" {
		return cli.UnknownEnding(o.out, ".png")
	}
	b, err := open(a, o.source)
	if err != nil {
		return err
	}
	defer b.Close()
	data, err := b.Range(0, b.Size())
	if err != nil {
		return err
	}
	r := &report{Head: document.NewHead(schema, o.source, described(b, o.source)...), Guesses: []guess{}}
	err = b.Guard(func() error {
		for _, g := range dump.Shapes(data) {
			r.Guesses = append(r.Guesses, newGuess(g, o.source, len(data)))
		}
		r.answer(o.source.Shown(), data)
		if len(r.Guesses) == 0 {
			return nil
		}
		if a.Streams.Width > 0 && a.Format == cli.Table {
			r.drawn = newPicture(r.Guesses[0].found, data, a.Streams.Columns(), a.Streams.Height/3)
		}
		return r.publish(a, o, data)
	})
	if err != nil {
		return err
	}
	err = a.Write(r)
	if err == nil && r.Failed() {
		err = cli.Reported(fault.New(fault.Negative, "no shape found"))
	}
	return err
}

// described warns of a file that says what its tensors are.
func described(b input.File, n name.Name) (warnings []string) {
	format, err := source.Recognize(b, n)
	if err != nil {
		return []string{err.Error()}
	}
	if format == checkpoint.NPY || format.Title() != "" && !n.IsStdin() {
		return []string{"its header says what it holds: tlayout inspect " + n.Arg()}
	}
	return nil
}

// open opens a file, or standard input, as bytes.
func open(a *cli.App, n name.Name) (input.File, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	if n.IsStdin() {
		return input.Spool(input.Stdin, a.Streams.In, 0)
	}
	return input.Open(n, input.Options{})
}

// largest is the maximum of pixels along a picture's side.
const largest = 2048

// publish draws the best guess into a file.
func (r *report) publish(a *cli.App, o *options, data []byte) error {
	if o.out.IsZero() {
		return nil
	}
	file, err := publish.Create(o.out, publish.Options{Replace: o.force, Inputs: a.Inputs(o.source)})
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := newPicture(r.Guesses[0].found, data, largest, largest/2).png(file); err != nil {
		return err
	}
	r.Picture = text.OrNull(o.out.Redacted())
	return file.Commit()
}
