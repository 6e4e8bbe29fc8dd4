package draw

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// look says how a tensor is drawn.
type look struct {
	labels      labelsFlag
	colour      string
	path        picture.Path
	steps       int
	line        cli.Bytes
	wrap, limit int
}

func (o *look) addLook(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&o.labels, "label", "what cells say: index, coord, value, offset, byte, or several\n(default value where it is short, else index)")
	flags.StringVar(&o.colour, "color-by", string(picture.ByChannel), "what colours mean: channel, memory, value, none, or a `dim`")
	flags.Var(cli.EnumOf(&o.path, noPath, picture.Channel, picture.Spatial), "path", "draw the order of access")
	flags.IntVar(&o.steps, "steps", 16, "with --path: how many accesses")
	flags.Var(&o.line, "line", "bytes of a cache line")
	flags.IntVar(&o.wrap, "wrap", 0, "cells in a row of memory (default a cache line)")
	flags.IntVar(&o.limit, "limit", usualCells, "how many elements to draw, and cells of each memory; 0 for all")
	cli.Must(cmd.RegisterFlagCompletionFunc("label", cobra.FixedCompletions(labels, cobra.ShellCompDirectiveNoFileComp)))
	cli.Must(cmd.RegisterFlagCompletionFunc("color-by", cobra.FixedCompletions(colourings, cobra.ShellCompDirectiveNoFileComp)))
}

// maxLine bounds a cache line, in bytes.
const maxLine = 4096

func (o *look) checkLook(typed func(string) bool) error {
	switch {
	case o.limit < 0:
		return fault.New(fault.Usage, "--limit %d is negative", o.limit).WithHint("0 draws all")
	case o.wrap < 0 || o.wrap == 0 && typed("wrap"):
		return fault.New(fault.Usage, "--wrap %d: a row of memory needs 1 cell or more", o.wrap).
			WithHint("leave it out, and a row is a cache line")
	case o.steps < 1:
		return fault.New(fault.Usage, "--steps %d: a path has 1 step or more", o.steps).WithHint("leave it out for 16")
	case o.line.N < 1 || o.line.N > maxLine || o.line.N&(o.line.N-1) != 0:
		return fault.New(fault.Usage, "--line %d is not a power of two up to %d", o.line.N, maxLine).
			WithHint("lines have 32, 64, 128 or 256 bytes")
	}
	return nil
}

// wantsValues reports whether values are drawn, or may be.
func (o *look) wantsValues() bool {
	return o.labels.list == nil || slices.Contains(o.labels.list, picture.Value) || o.colour == string(picture.ByValue)
}

// choose settles what depends on the tensor.
func (o *look) choose(t *source.Tensor, value func(int) (string, float64, bool)) (picture.Options, error) {
	p := picture.Options{Labels: o.labels.list, Line: int(o.line.N), Wrap: o.wrap, Limit: o.limit, Steps: o.steps}
	if o.path != noPath {
		p.Path = o.path
	}
	if slices.Contains(p.Labels, picture.Value) && value == nil {
		return p, noValues("--label value", t)
	}
	if p.Labels == nil {
		p.Labels = []picture.Label{picture.Index}
		short, err := shortValues(t, value)
		if err != nil {
			return p, err
		}
		if short {
			p.Labels[0] = picture.Value
		}
	}
	return p, o.chooseColour(&p, t, value != nil)
}

func (o *look) chooseColour(p *picture.Options, t *source.Tensor, values bool) error {
	word := strings.ToLower(o.colour)
	if slices.Contains(colourings, word) {
		if p.Colour = picture.Colouring(word); p.Colour == picture.ByValue && !values {
			return noValues("--color-by value", t)
		}
		return nil
	}
	names := t.Layout.Names()
	for _, name := range names {
		if strings.EqualFold(name, word) {
			p.Colour, p.Dim = picture.ByDim, name
			return nil
		}
	}
	e := fault.New(fault.Usage, "--color-by %s is none of %s, and no dim of the tensor: %s", words.Quoted(o.colour),
		strings.Join(colourings, ", "), tensor.NamedSizes(names, t.Layout.Shape()))
	if near := words.Nearest(word, colourings); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e
}

// noValues refuses values of a tensor without any.
func noValues(flag string, t *source.Tensor) error {
	what := "the tensor is only described"
	if t.Kind != "shape" {
		what = source.QuotedName(t.Source) + " has none"
	}
	return fault.New(fault.Usage, "%s: there are no values, %s", flag, what).
		WithHint("--label index, coord or offset, and --color-by channel or memory, need none")
}

// kind is what is drawn.
type kind string

const (
	kindText kind = "text"
	kindSVG  kind = "svg"
	kindPNG  kind = "png"
	kindHTML kind = "html"
)

// extensions say what a file of the name holds.
var extensions = map[string]kind{".txt": kindText, ".svg": kindSVG, ".png": kindPNG, ".html": kindHTML, ".htm": kindHTML}

// settle finds out what is drawn, and refuses flags that do not go together.
func (o *options) settle(a *cli.App, typed func(string) bool) error {
	if o.out == source.Stdin {
		o.out = ""
	} else if o.out == "" && typed("out") {
		return fault.New(fault.Usage, "--out names no file").WithHint("-o x.svg, or - for standard output")
	}
	if err := o.settleKind(typed("as")); err != nil {
		return err
	}
	toTerminal := o.out == "" && a.Streams.Width > 0
	switch {
	case o.out == "" && o.open:
		return fault.New(fault.Usage, "--open shows a file, but none is written").WithHint("name one: -o x.svg --open, or -o x.html --open")
	case o.out == "" && o.force:
		return fault.New(fault.Usage, "--force replaces the file of -o, but there is no -o").WithHint("name a file: -o x.svg")
	case o.out == "" && a.Format != cli.Table && typed("as"):
		return fault.New(fault.Usage, "--as %s and --output %s both say what is written to standard output", o.as, a.Format).
			WithHint("leave one of them out, or draw into a file: -o x.svg")
	case o.kind == kindPNG && toTerminal && a.Format == cli.Table:
		return fault.New(fault.Usage, "standard output is a terminal, which shows no PNG").WithHint("draw into a file: -o x.png")
	case o.kind == kindPNG && !(o.scale > 0 && o.scale <= 16):
		return fault.New(fault.Usage, "--scale %g is not between 0 and 16", o.scale).WithHint("2 makes two pixels of each that the SVG has")
	}
	if err := o.refuseIdle(typed); err != nil {
		return err
	}
	return o.checkLook(typed)
}

// settleKind lets the file's name say what it holds, and --as where the name does not.
func (o *options) settleKind(typedAs bool) error {
	ext := strings.ToLower(filepath.Ext(o.out))
	kind, known := extensions[ext]
	switch o.kind = o.as; {
	case o.out == "":
	case known && typedAs && kind != o.as:
		return fault.New(fault.Usage, "--as %s, but %s has the name of a file of %s", o.as, words.Quoted(o.out), kind).
			WithHint("leave --as out, or give the file another name")
	case known:
		o.kind = kind
	case typedAs:
	case ext == "":
		return fault.New(fault.Usage, "%s does not say what to draw", words.Quoted(o.out)).
			WithHint("end it in .svg, .png, .html or .txt, or say it: --as svg")
	default:
		return fault.New(fault.Usage, "%s ends in %s, which is none of .svg, .png, .html and .txt", words.Quoted(o.out), words.Quote(ext)).
			WithHint("--as svg draws an SVG, whatever the file's name")
	}
	return nil
}

// refuseIdle refuses flags that were typed and change nothing.
func (o *options) refuseIdle(typed func(string) bool) error {
	for _, flag := range []string{"scale", "dark"} {
		if typed(flag) && o.kind != kindPNG {
			e := fault.New(fault.Usage, "--%s is for PNG, but what is drawn is %s", flag, o.kind)
			if flag == "dark" && slices.Contains([]kind{kindSVG, kindHTML}, o.kind) {
				return e.WithHint("it is light or dark as its reader's system is")
			}
			return e.WithHint("draw into x.png, or --as png")
		}
	}
	for _, flag := range []string{"label", "color-by", "path", "steps", "wrap", "limit"} {
		if typed(flag) && o.kind == kindHTML {
			return fault.New(fault.Usage, "--%s is chosen in the page itself", flag).WithHint("leave it out, or draw an SVG: -o x.svg")
		}
	}
	if typed("steps") && o.path == noPath {
		return fault.New(fault.Usage, "--steps counts the accesses of --path, but there is no --path").WithHint("--path channel or --path spatial")
	}
	return nil
}
