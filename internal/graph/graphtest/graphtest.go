// Package graphtest is what the tests of readers of programs share: samples, and changes as lines. Only tests import it.
package graphtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/text"
)

// Sample returns a file of testdata.
func Sample(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Changes returns each change of a program in a line: operator, shape, orders, what it is of, and the one that it cancels.
func Changes(p *graph.Program) []string {
	var all []string
	for _, c := range p.Changes() {
		line := fmt.Sprintf("%s %s %s %s", p.Operators[c.Operator].Name, text.Ints(c.Tensor.Layout.Shape(), ","), c.From, c.To)
		if c.Weight {
			line += " weight"
		}
		if c.Cancels >= 0 {
			line += fmt.Sprintf(" cancels %d", c.Cancels)
		}
		all = append(all, line)
	}
	return all
}

// NamedChanges is Changes with the names of the orders.
func NamedChanges(p *graph.Program) []string {
	all := Changes(p)
	for i, c := range p.Changes() {
		all[i] = strings.Replace(all[i], c.From.String()+" "+c.To.String(), c.FromName()+" "+c.ToName(), 1)
	}
	return all
}

// WantLines fails t unless the lines are these.
func WantLines(t *testing.T, got []string, want string) {
	t.Helper()
	if all := strings.Join(got, "\n"); all != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", all, strings.TrimSpace(want))
	}
}

// Operands returns the shapes and orders of an operator's operands.
func Operands(p *graph.Program, op *graph.Operator) string {
	var words []string
	for i, id := range append(append([]graph.ID{}, op.Inputs...), op.Outputs...) {
		if i == len(op.Inputs) {
			words = append(words, "->")
		}
		t := p.Tensor(id)
		if t == nil {
			words = append(words, "?")
			continue
		}
		word := t.Type.String() + text.Brackets(t.Layout.Shape())
		if s, plain := t.Layout.Strided(); plain {
			word += text.Brackets(s.Strides)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Checked reads a file, and finds the changes if it has a program: no panic, a clean error, at most fixed bytes of memory and perByte for each byte
// of the file.
func Checked(t testing.TB, read func(raw []byte) (*graph.Program, error), raw []byte, fixed, perByte uint64) error {
	t.Helper()
	var err error
	used := hostile.AllocatedBy(func() {
		p, wrong := read(raw)
		err = wrong
		if err == nil {
			p.Changes()
		}
	})
	if err != nil {
		hostile.CheckError(t, err, 1000, fault.Resource)
	}
	if used > fixed+perByte*uint64(len(raw)) {
		t.Fatalf("%d bytes allocated for a file of %d", used, len(raw))
	}
	return err
}
