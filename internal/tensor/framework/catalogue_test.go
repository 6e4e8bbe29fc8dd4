package framework

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// orderOf is the memory order that a name says, in the catalogue's words.
func orderOf(t *testing.T, name string) (order string, err error) {
	t.Helper()
	l, err := notation.Parse(name)
	switch {
	case err != nil:
		return "", err
	case l.Own == notation.OwnC:
		return RowMajorOrder, nil
	case l.Own == notation.OwnFortran:
		return ColumnMajorOrder, nil
	case l.Exact == nil:
		return l.Format.Explicit(), nil
	}
	f, ok := notation.Of(*l.Exact)
	if !ok {
		t.Errorf("the strides of %s do not nest", name)
	}
	return f.Explicit(), nil
}

// TestCatalogue: every name means what its row says, or is refused with a reason and a way out.
func TestCatalogue(t *testing.T) {
	rows := Catalogue()
	if len(rows) < 80 {
		t.Fatalf("%d rows only", len(rows))
	}
	seen := map[string]bool{}
	for _, e := range rows {
		if seen[e.Framework+e.Name] {
			t.Errorf("%s has two rows for %s", e.Framework, e.Name)
		}
		seen[e.Framework+e.Name] = true
		got, err := orderOf(t, e.Name)
		why, instead := e.Refused()
		switch {
		case e.Order != "" && (err != nil || got != e.Order || why != ""):
			t.Errorf("%s lies %q (%v), its row says %q", e.Name, got, err, e.Order)
		case e.Order != "":
		case err == nil || fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), why) || why == "" || instead == "":
			t.Errorf("%s: %v, its row says that it is refused: %q, %q", e.Name, err, why, instead)
		}
	}
}

// TestCatalogueIsWhole: every framework has rows, and no alias and no refused name is without one.
func TestCatalogueIsWhole(t *testing.T) {
	rows := Catalogue()
	for _, f := range All() {
		if !slices.ContainsFunc(rows, func(e Entry) bool { return e.Framework == f.Name }) {
			t.Errorf("%s has no rows", f.Name)
		}
	}
	for name := range catalogue {
		if !slices.ContainsFunc(frameworks, func(f Framework) bool { return f.Name == name }) {
			t.Errorf("%s is no framework", name)
		}
	}
	for _, pattern := range notation.Aliases() {
		if !slices.ContainsFunc(rows, func(e Entry) bool { return pattern.MatchString(e.Name) }) {
			t.Errorf("no row for the alias %s", pattern)
		}
	}
	for _, r := range notation.Refused {
		if r.Name == "NC1HWC0" { // no source at hand says whose name it is
			continue
		}
		if !slices.ContainsFunc(rows, func(e Entry) bool { return r.Name == e.Name }) {
			t.Errorf("no row for the refused name %s", r.Name)
		}
	}
}

// TestCatalogueSpells: what Spell calls a layout in a framework, the catalogue of that framework does not deny: every
// oneDNN, TVM, TensorRT and MegEngine name that Spell returns parses to the layout that it was asked of.
func TestCatalogueSpells(t *testing.T) {
	spelled := 0
	for _, e := range Catalogue() {
		l, err := notation.Parse(e.Name)
		if err != nil || l.Own != notation.NotOwn || l.Exact != nil {
			continue
		}
		s := Spell(l.Format)
		names := slices.Concat(s.OneDNN, s.TensorRT, s.MegEngine)
		if s.TVM != "" {
			names = append(names, s.TVM)
		}
		for _, name := range names {
			if strings.HasSuffix(name, " weight") || name == "kLINEAR" {
				continue
			}
			back, err := notation.Parse(name)
			if err != nil {
				t.Errorf("%s is spelled %s, which cannot be read: %v", e.Name, name, err)
				continue
			}
			spelled++
			got := back.Format
			if got.Positional() {
				got = got.Rename(passedDims(l.Format.Names()))
			}
			if got.Explicit() != l.Format.WithoutUnits().Explicit() {
				t.Errorf("%s (%s) is spelled %s, which is %s", e.Name, e.Order, name, got.Explicit())
			}
		}
	}
	if spelled < 100 {
		t.Errorf("only %d spellings compared", spelled)
	}
}

// passedDims are the dims in the order in which oneDNN numbers them: T is the first of a sequence's.
func passedDims(names []string) []string {
	if !slices.Contains(names, "T") {
		return names
	}
	return append([]string{"T"}, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "T" })...)
}

// orderNamed is the memory order of a name, without sizes.
func orderNamed(t *testing.T, name string) notation.Format {
	t.Helper()
	l, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Format
}
