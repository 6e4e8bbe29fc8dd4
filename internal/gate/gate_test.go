package gate

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// TestRefusals: an invalid gate is refused with the column of the error, and a hint shows a valid one.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ expr, column, text string }{
		{"", "1", "unexpected end"},
		{" ", "2", "unexpected end"},
		{"nhwc.channel.gbps", "18", "unexpected end"},
		{"nhwc.channel.gbps >=", "21", "unexpected end"},
		{"nhwc.channel.gbps >= 2 *", "25", "unexpected end"},
		{"nhwc.channel.gbps > 1)", "22", `unexpected ")"`},
		{"(nhwc.channel.gbps > 1)", "1", `unexpected "(nhwc.channel.gbps > 1)"`},
		{"nhwc.channel.gbps > 1 && nhwc.channel.gbps < 2", "23", `unexpected "&& nhwc.channel.gbps < 2"`},
		{"0.5 <= nhwc.channel.gbps", "1", `unexpected "0.5 <= nhwc.channel.gbps"`},
		{"nhwc.channel.gbps * 2 > 1", "19", `unexpected "* 2 > 1"`},
		{"nhwc.channel.gbps = 1", "19", `unexpected "= 1"`},
		{"nhwc.channel.gbps > -1", "21", `unexpected "-1"`},
		{"nhwc.channel.gbps > 2 nchw.channel.gbps", "23", `unexpected "nchw.channel.gbps"`},
		{"nhwc.channel.gbps > nchw.channel.gbps * 2", "39", `unexpected "* 2"`},
		{"nhwc.channel.gbps > 2 * 3", "25", `unexpected "3"`},
		{"nhwc.channel.gbps > 0x10", "22", `unexpected "x10"`},
		{"nhwc.channel.gbps > 1e999", "25", `unexpected "9"`},
		{"nhwc.channel.gbps > 1_000", "22", `unexpected "_000"`},
		{"größe.channel.gbps > 'x'", "22", `unexpected "'x'"`},
		{"\x1b[31m", "1", `unexpected "\x1b[31m"`},
	} {
		_, err := Parse(c.expr, strings.ToLower, "nhwc.channel.gbps >= 2 * nchw.channel.gbps")
		var f *fault.Error
		want := `gate "` + text.Quote(c.expr) + `", column ` + c.column + ": " + c.text
		if !errors.As(err, &f) || f.Class != fault.Usage || f.Text != want || !strings.Contains(f.Hint, "FIGURE OP [NUMBER *] FIGURE, as in nhwc") {
			t.Errorf("got  %v: %+v\nwant %s", err, f, want)
		}
	}
}

// Layouts may have any spelling that Names resolves: upper case, digits, aliases.
func TestNames(t *testing.T) {
	names := func(s string) string {
		if s == "channels_last" {
			return "nhwc"
		}
		return strings.ToLower(s)
	}
	for expr, want := range map[string]string{
		"NCHW16c.channel.gbps>1":          "nchw16c.channel.gbps > 1",
		"channels_last.to.NCHW.gbps > 1":  "nhwc.to.nchw.gbps > 1",
		"NHWC.channel_over_spatial  <= 1": "nhwc.channel_over_spatial <= 1",
	} {
		c, err := Parse(expr, names, "nhwc.channel.gbps >= 2 * nchw.channel.gbps")
		if err != nil || c.String() != want {
			t.Errorf("%s: %v, %v", expr, c, err)
		}
	}
}

// All text is parsed or refused with Usage. A parsed gate survives a round trip through text, and can be checked and evaluated.
func FuzzParse(f *testing.F) {
	for _, expr := range []string{
		"nhwc.channel.gbps >= 2 * nchw.channel.gbps", "1.to.nhwc.gbps > 1", "nhwc.channel_over_spatial != 1e3",
		"nhwc.channel.gbps > 0x1p-2", "nhwc.channel.model.miss_per_elem.l3 > 1_0.5", "\ufeffa > 1", "a.b\n.c > 1", "\xff", "ä > 'x'",
		"nhwc.conv2d.bytes>.5e+2*nhwc.channel.bytes", "a. < 1", "a.to.b==1.", "a >= 1 && b < 2",
	} {
		f.Add(expr)
	}
	identity := func(s string) string { return s }
	now := map[string]float64{"nhwc.channel.gbps": 2.4, "nhwc.conv2d.bytes": 480}
	f.Fuzz(func(t *testing.T, expr string) {
		c, err := Parse(expr, identity, "nhwc.channel.gbps >= 2 * nchw.channel.gbps")
		if err != nil {
			if fault.ClassOf(err) != fault.Usage {
				t.Fatalf("%q: %v", expr, err)
			}
			return
		}
		again, err := Parse(c.String(), identity, "nhwc.channel.gbps >= 2 * nchw.channel.gbps")
		if again.text = c.text; err != nil || *again != *c {
			t.Fatalf("%q is written as %q: %v", expr, c, err)
		}
		if err := c.Check(slices.Collect(maps.Keys(now)), "hint"); err != nil && fault.ClassOf(err) != fault.Usage {
			t.Fatalf("%q: %v", expr, err)
		}
		if g := c.Eval(now); g.Holds && strings.Contains(g.Why, "NaN") && !strings.Contains(expr, "NaN") {
			t.Fatalf("%+v", g)
		}
	})
}

// String writes the condition as Parse reads it, with layouts named as in rows.
func (c *Condition) String() string { return c.format(func(name string) string { return name }) }
