package drawcmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// look is the options of how a tensor is drawn.
type look struct {
	labels      labelsFlag
	color       string
	path        picture.Path
	steps       int
	banks       string // accesses to shared memory
	line        cli.Line
	wrap, limit int
}

func (o *look) addLook(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&o.labels, "label", "text of cells: index, coord, value, offset, byte, bank, or several\n(default value if short, else index)")
	flags.StringVar(&o.color, "color-by", "", "what colors mean: channel, memory, value, bank, none, or a `dim`\n(default channel; with --banks, bank)")
	flags.Var(cli.EnumOf(&o.path, noPath, picture.Channel, picture.Spatial), "path", "access order to draw, with the cache lines that it fetches")
	cli.PositiveVar(flags, &o.steps, "steps", 16, "with --path: number of accesses")
	flags.StringVar(&o.banks, "banks", "", "draw banks of shared memory, and conflicts of this `access`: h:16, rows, columns, ldmatrix, a thread-value layout")
	flags.Var(&o.line, "line-size", "size of a cache line")
	cli.PositiveVar(flags, &o.wrap, "wrap", 0, "cells in a row of memory (default a cache line)")
	cli.CountVar(flags, &o.limit, "limit", defaultLimit, "maximum number of elements, and of cells of each memory; 0 means all\n(default 256, a screen of text)")
	flags.Lookup("limit").DefValue = "0" // help has it
	cli.CompleteWords(cmd, "label", labels)
	cli.CompleteWords(cmd, "color-by", colorings)
}

// wantsValues reports whether values may be drawn. Without --labels they may, except in a picture of banks.
func (o *look) wantsValues() bool {
	if o.labels.list == nil && o.banks == "" {
		return true
	}
	return slices.Contains(o.labels.list, picture.Value) || o.color == string(picture.ByValue)
}

// choose returns the options of the picture, which depend on the tensor.
func (o *look) choose(t *source.Tensor, value func(int) (string, float64, bool)) (picture.Options, error) {
	p := picture.Options{Labels: o.labels.list, Line: int(o.line.N), Wrap: o.wrap, Limit: o.limit, Steps: o.steps, Banks: o.banks}
	if o.path != noPath {
		p.Path = o.path
	}
	if slices.Contains(p.Labels, picture.Value) && value == nil {
		return p, noValues("--label value", t)
	}
	if p.Labels == nil && o.banks != "" {
		p.Labels = []picture.Label{picture.Bank}
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
	return p, o.chooseColor(&p, t, value != nil)
}

func (o *look) chooseColor(p *picture.Options, t *source.Tensor, values bool) error {
	word := strings.ToLower(o.color)
	if word == "" {
		word = string(picture.ByChannel)
		if o.banks != "" {
			word = string(picture.ByBank)
		}
	}
	if slices.Contains(colorings, word) {
		p.Color = picture.Coloring(word)
		if p.Color == picture.ByValue && !values {
			return noValues("--color-by value", t)
		}
		return nil
	}
	names := t.Layout.Names()
	for _, name := range names {
		if strings.EqualFold(name, word) {
			p.Color = picture.ByDim
			p.Dim = name
			return nil
		}
	}
	e := fault.New(fault.Usage, "unknown --color-by %s: want %s, or a dim of %s", text.Quoted(o.color),
		strings.Join(colorings, ", "), tensor.NamedSizes(names, t.Layout.Shape()))
	if near := text.Nearest(word, colorings); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e
}

// noValues returns the error of a flag that needs values if the tensor has none.
func noValues(flag string, t *source.Tensor) error {
	what := "the tensor has no data"
	if t.Kind != "shape" {
		what = t.Source.Subject() + " has no data"
	}
	return fault.New(fault.Usage, "%s needs values, but %s", flag, what).
		WithHint("use --label index, coord or offset, --color-by channel or memory")
}

// kind is the format of a picture.
type kind string

const (
	kindText kind = "text"
	kindSVG  kind = "svg"
	kindPNG  kind = "png"
	kindHTML kind = "html"
)

// extensions maps file extensions to kinds.
var extensions = map[string]kind{".txt": kindText, ".svg": kindSVG, ".png": kindPNG, ".html": kindHTML, ".htm": kindHTML}

// resolve determines the kind of picture and its destination, and rejects contradictory flags.
func (o *options) resolve(a *cli.App) error {
	if o.out.IsStdin() {
		o.out = name.Name{}
	}
	if err := o.resolveKind(); err != nil {
		return err
	}
	if o.out.IsZero() {
		if err := o.checkStdout(a); err != nil {
			return err
		}
	}
	if o.kind == kindPNG && !(o.scale > 0 && o.scale <= 16) {
		return fault.New(fault.Usage, "--scale %g is outside (0, 16]", o.scale).WithHint("2 doubles the resolution")
	}
	if err := o.refuseIdle(); err != nil {
		return err
	}
	o.settleLimit(a)
	return nil
}

// checkStdout returns an error if standard output cannot take the picture.
func (o *options) checkStdout(a *cli.App) error {
	if o.open || o.force {
		return fault.New(fault.Usage, "--open and --force need an output file").WithHint("add -o x.svg, or -o x.html")
	}
	if a.Format != cli.Table {
		if o.changed("as") {
			return cli.Excluded("--as "+string(o.as), "--format "+string(a.Format))
		}
		return nil
	}
	if o.kind == kindPNG && a.Streams.Width > 0 {
		return fault.New(fault.Usage, "refusing to write a PNG to a terminal").WithHint("write it to a file: -o x.png")
	}
	return nil
}

// settleLimit removes the limit for --all. Text on standard output fits a screen, unless --path needs room.
func (o *options) settleLimit(a *cli.App) {
	if a.All {
		o.limit = 0
		return
	}
	onPage := o.kind == kindText && o.out.IsZero() && a.Format == cli.Table
	limited := o.given("limit") || o.limit != defaultLimit
	if onPage && !limited && o.path == noPath {
		o.screen = true
	}
}

// resolveKind sets the kind by the file's extension, or by --as if the extension is unknown.
func (o *options) resolveKind() error {
	o.kind = o.as
	if o.out.IsZero() || publish.IsNull(o.out) {
		return nil
	}
	kind, known := extensions[o.out.Ending()]
	if !known {
		if o.given("as") {
			return nil
		}
		return cli.UnknownEnding(o.out, ".svg, .png, .html or .txt; --as svg ignores the extension")
	}
	if o.changed("as") && kind != o.as {
		return fault.New(fault.Usage, "--as %s contradicts the extension of %s", o.as, o.out).
			WithHint("omit --as, or rename the file")
	}
	o.kind = kind
	return nil
}

// refuseIdle rejects flags without effect.
func (o *options) refuseIdle() error {
	for _, flag := range []string{"scale", "dark"} {
		if o.changed(flag) && o.kind != kindPNG {
			e := fault.New(fault.Usage, "--%s applies to PNG, not to %s", flag, o.kind)
			if flag == "dark" && slices.Contains([]kind{kindSVG, kindHTML}, o.kind) {
				return e.WithHint("the picture follows the viewer's light or dark scheme")
			}
			return e.WithHint("use -o x.png, or --as png")
		}
	}
	return nil
}

// labels are the values of --label, colorings those of --color-by other than dims.
var (
	labels = []string{string(picture.Index), string(picture.Coord), string(picture.Value), string(picture.Offset), string(picture.Byte),
		string(picture.Bank)}
	colorings = []string{string(picture.ByChannel), string(picture.ByMemory), string(picture.ByValue), string(picture.ByBank), string(picture.Plain)}
)

// noPath is the value of --path for picture.NoPath.
const noPath picture.Path = "none"

// labelsFlag is a list of labels, a line in each cell per label. Repeated flags append to it.
type labelsFlag struct{ list []picture.Label }

func (f *labelsFlag) String() string { return strings.Join(labelNames(f.list), ",") }

func (f *labelsFlag) Type() string { return "labels" }

func (f *labelsFlag) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		if !slices.Contains(labels, word) {
			return cli.UnknownWord(word, labels, nil)
		}
		label := picture.Label(word)
		if slices.Contains(f.list, label) {
			return fault.New(fault.Usage, "duplicate label %s", word)
		}
		f.list = append(f.list, label)
	}
	return nil
}

func labelNames(list []picture.Label) []string {
	names := []string{}
	for _, l := range list {
		names = append(names, string(l))
	}
	return names
}
