package scan

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// read returns how a nested list of integers and names is understood: (1,a2) is "[1 a2]", and a comma before the bracket is a "!".
func read(s *Scanner) (string, error) {
	if s.Take('(') {
		var items []string
		comma, err := s.List(')', func() error {
			item, err := read(s)
			items = append(items, item)
			return err
		}, func(closing byte) error {
			return fmt.Errorf("no %c at %d, depth %d, lacks %s", closing, s.At, s.Depth(), s.Closing())
		})
		return "[" + strings.Join(items, " ") + map[bool]string{true: "!"}[comma] + "]", err
	}
	if name := s.Name(); name != "" {
		return name, nil
	}
	if n := s.Integer(); n != "" {
		return n, nil
	}
	return "", errors.New("nothing before " + s.Char())
}

func TestScanner(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "nothing before ",
		" ( 1 , -2,\ta_3x )": "[1 -2 a_3x]",
		"((1,),())":          "[[1!] []]",
		"(- 1)":              "nothing before -",
		"(,)":                "nothing before ,",
		"(1,,2)":             "nothing before ,",
		"(1;2)":              "no ) at 2, depth 1, lacks )",
		"(1 # two, (\n, 3)":  "[1 3]",
		"(1 # two":           "no ) at 8, depth 1, lacks )",
		"((1, 2":             "no ) at 6, depth 2, lacks ))",
		"(é)":                "nothing before é",
		"(\xff)":             "nothing before \xff",
		"(\x00)":             "nothing before \x00",
		"()x":                "[] and x",
	} {
		s := &Scanner{Text: text, Comment: '#'}
		got, err := read(s)
		switch {
		case err != nil:
			got = err.Error()
		case !s.End():
			got += " and " + s.Rest()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A scanner skips only its blanks, and no comments unless it has them.
func TestBlanks(t *testing.T) {
	for _, c := range []struct {
		s    Scanner
		next byte
	}{
		{Scanner{Text: " \t\r\n#"}, '#'},
		{Scanner{Text: "  \t#", Blanks: " "}, '\t'},
		{Scanner{Text: "\f#x\r\f", Blanks: "\f\r", Comment: '#'}, 0},
		{Scanner{Text: "\x00a"}, 0},
	} {
		if next := c.s.Next(); next != c.next {
			t.Errorf("%q: %q comes next, want %q", c.s.Text, next, c.next)
		}
	}
}
