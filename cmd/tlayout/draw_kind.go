package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// drawKind is what is drawn.
type drawKind string

const (
	kindText drawKind = "text"
	kindSVG  drawKind = "svg"
	kindPNG  drawKind = "png"
	kindHTML drawKind = "html"
)

// extensions say what a file of the name holds.
var extensions = map[string]drawKind{".txt": kindText, ".svg": kindSVG, ".png": kindPNG, ".html": kindHTML, ".htm": kindHTML}

// settle finds out what is drawn, and refuses flags that do not go together.
func (o *drawOptions) settle(a *app, typed func(string) bool) error {
	if o.out == source.Stdin {
		o.out = ""
	} else if o.out == "" && typed("out") {
		return fault.New(fault.Usage, "--out names no file").WithHint("-o x.svg, or - for standard output")
	}
	if err := o.settleKind(typed("as")); err != nil {
		return err
	}
	toTerminal := o.out == "" && a.streams.width > 0
	switch {
	case o.out == "" && o.open:
		return fault.New(fault.Usage, "--open shows a file, but none is written").WithHint("name one: -o x.svg --open, or -o x.html --open")
	case o.out == "" && o.force:
		return fault.New(fault.Usage, "--force replaces the file of -o, but there is no -o").WithHint("name a file: -o x.svg")
	case o.out == "" && a.format != formatTable && typed("as"):
		return fault.New(fault.Usage, "--as %s and --output %s both say what is written to standard output", o.as, a.format).
			WithHint("leave one of them out, or draw into a file: -o x.svg")
	case o.kind == kindPNG && toTerminal && a.format == formatTable:
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
func (o *drawOptions) settleKind(typedAs bool) error {
	ext := strings.ToLower(filepath.Ext(o.out))
	kind, known := extensions[ext]
	switch o.kind = o.as; {
	case o.out == "":
	case known && typedAs && kind != o.as:
		return fault.New(fault.Usage, `--as %s, but "%s" has the name of a file of %s`, o.as, fault.Quote(o.out), kind).
			WithHint("leave --as out, or give the file another name")
	case known:
		o.kind = kind
	case typedAs:
	case ext == "":
		return fault.New(fault.Usage, `"%s" does not say what to draw`, fault.Quote(o.out)).
			WithHint("end it in .svg, .png, .html or .txt, or say it: --as svg")
	default:
		return fault.New(fault.Usage, `"%s" ends in %s, which is none of .svg, .png, .html and .txt`, fault.Quote(o.out), fault.Quote(ext)).
			WithHint("--as svg draws an SVG, whatever the file's name")
	}
	return nil
}

// refuseIdle refuses flags that were typed and change nothing.
func (o *drawOptions) refuseIdle(typed func(string) bool) error {
	for _, flag := range []string{"scale", "dark"} {
		if typed(flag) && o.kind != kindPNG {
			e := fault.New(fault.Usage, "--%s is for PNG, but what is drawn is %s", flag, o.kind)
			if flag == "dark" && slices.Contains([]drawKind{kindSVG, kindHTML}, o.kind) {
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
