package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
)

func sample() Table {
	t := Table{Header: []string{"dim", "size", "why"}, Numbers: []int{1}}
	t.Add("N", "1", "short")
	t.Add("Größe", "1280", "one | two, and so on until the line is full and must go on in the next one")
	return t
}

// TestText: numbers line up on the right, prose wraps inside the width, no line ends in blanks.
func TestText(t *testing.T) {
	var out bytes.Buffer
	if err := sample().Text(&out, 50, true); err != nil {
		t.Fatal(err)
	}
	want := ` dim    size  why
──────────────────────────────────────────────────
 N         1  short
 Größe  1280  one | two, and so on until the line
              is full and must go on in the next
              one
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if err := sample().Text(&out, 50, false); err != nil || strings.ContainsRune(out.String(), '─') {
		t.Errorf("lines outside of ASCII: %v\n%s", err, out.String())
	}
}

// TestMarkdown: a bar in a cell does not end it.
func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := sample().Markdown(&out); err != nil || !strings.Contains(out.String(), `one \| two`) || !strings.Contains(out.String(), "-----:|") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestCSV(t *testing.T) {
	var out bytes.Buffer
	if err := sample().CSV(&out); err != nil || !strings.HasPrefix(out.String(), "dim,size,why\nN,1,short\nGröße,1280,\"one | two,") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestStreams: streamed rows say the same in each format, without being buffered.
func TestStreams(t *testing.T) {
	columns := Columns{Header: []string{"n", "offset", "value"}, Widths: []int{3, 4, 0}, Numbers: []int{0, 1}}
	for _, c := range []struct {
		name string
		open func(*bytes.Buffer) RowWriter
		want string
	}{
		{"text", func(b *bytes.Buffer) RowWriter { return StreamText(b, columns) }, "   n  offset  value\n   1      12  a|b\n 100       3\n"},
		{"markdown", func(b *bytes.Buffer) RowWriter { return StreamMarkdown(b, columns) }, "| n | offset | value |\n| --: | --: | --- |\n| 1 | 12 | a\\|b |\n| 100 | 3 |  |\n"},
		{"csv", func(b *bytes.Buffer) RowWriter { return StreamCSV(b, columns) }, "n,offset,value\n1,12,a|b\n100,3,\n"},
	} {
		var out bytes.Buffer
		w := c.open(&out)
		for _, row := range [][]string{{"1", "12", "a|b"}, {"100", "3", ""}} {
			if err := w.Row(row...); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || out.String() != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", c.name, err, out.String(), c.want)
		}
	}
}

// A full disk is an error at the latest at Close.
func TestStreamsFail(t *testing.T) {
	columns := Columns{Header: []string{"n"}, Widths: []int{1}}
	for name, w := range map[string]RowWriter{"text": StreamText(golden.Full{}, columns), "markdown": StreamMarkdown(golden.Full{}, columns), "csv": StreamCSV(golden.Full{}, columns)} {
		if w.Row("1"); w.Close() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if sample().Text(golden.Full{}, 80, true) == nil || sample().CSV(golden.Full{}) == nil || sample().Markdown(golden.Full{}) == nil {
		t.Error("a table is written without error to a full disk")
	}
}
