package framework

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// orderOf is the memory order of a name, as the catalogue writes it.
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

// TestCatalogue: every name has the order of its row, or is refused with a reason and a way out.
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
			t.Errorf("%s is %q (%v), its row says %q", e.Name, got, err, e.Order)
		case e.Order != "":
		case err == nil || fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), why) || why == "" || instead == "":
			t.Errorf("%s: %v, its row says that it is refused: %q, %q", e.Name, err, why, instead)
		}
	}
}

// TestKinds: what a layout is for follows from the letters of its order, or, of a name that is refused, from those of the name; letters
// from A on are any dims.
func TestKinds(t *testing.T) {
	for _, f := range All() {
		for _, e := range f.names {
			letters := map[rune]bool{}
			order := e.Order
			if e.variants != nil {
				order = e.variants[0].order
			}
			name, _, _ := strings.Cut(e.Name, "_")
			for axis := range strings.FieldsSeq(cmp.Or(order, strings.Join(strings.Split(name, ""), " "))) {
				letters[rune(axis[0])] = true
			}
			want := Activations
			switch positional := letters['A'] || letters['d']; {
			case f == VLLM || f == LMCache || f == FlashInfer && e.Order != "" && !letters['M']:
				want = Caches
			case order == RowMajorOrder, order == ColumnMajorOrder, positional && (len(letters) != 2 || letters['d']) && f != XLA, positional && f == XLA && len(letters) > 2:
				want = AnyRank
			case letters['O'] && letters['I'], letters['K'] && letters['R']:
				want = Weights
			case letters['T']:
				want = Sequences
			case letters['D'] && letters['H'] && order != "":
				want = Volumes
			case len(letters) == 2 && f != Tenstorrent, order == "" && (f == FlashInfer || f == TritonKernels):
				want = Matrices
			}
			if e.Kind != want {
				t.Errorf("%s of %s, %s, is for %s, its letters say %s", e.Name, f.Name, order, e.Kind, want)
			}
		}
	}
}

// TestTypesOfTwins: a name that stands for several layouts goes with the types of all of them, and NCHW_VECT_C with those of cuDNN's
// vectors. Another spelling of a layout goes with the types and dims of one of its names.
func TestTypesOfTwins(t *testing.T) {
	types := func(lists ...string) string {
		return strings.Join(slices.Compact(slices.Sorted(strings.FieldsSeq(strings.Join(lists, " ")))), " ")
	}
	twins := 0
	for _, f := range All() {
		for _, e := range f.names {
			var layouts, vectors, spelled []string
			order := e.Order
			if strings.Contains(order, " R ") {
				order = strings.NewReplacer("K", "O", "C", "I", "R", "H", "S", "W").Replace(order)
			}
			for _, v := range e.variants {
				layouts = append(layouts, v.types)
			}
			for _, other := range f.names {
				switch {
				case e.Name == "NCHW_VECT_C" && strings.Contains(other.printed, e.Name):
					vectors = append(vectors, other.Types)
				case e.use == catalogueOnly && e.Types != "" && other.use == everywhere && other.Order == order && other.MinDims == e.MinDims:
					spelled = append(spelled, types(other.Types))
				}
			}
			if all := slices.Concat(layouts, vectors); all != nil && types(all...) != types(e.Types) {
				t.Errorf("%s of %s takes %s, its layouts %s", e.Name, f.Name, e.Types, types(all...))
			}
			if e.use == catalogueOnly && e.Types != "" && !slices.Contains(spelled, types(e.Types)) {
				t.Errorf("%s of %s takes %s, its other names %q", e.Name, f.Name, e.Types, spelled)
			}
			if slices.Concat(layouts, vectors, spelled) != nil {
				twins++
			}
		}
	}
	if twins < 6 {
		t.Errorf("%d names have twins", twins)
	}
}

// TestUnlistedNames: a name that the catalogue leaves out spells out its order, and the orders of a name are in the
// explicit form.
func TestUnlistedNames(t *testing.T) {
	unlisted := []string{}
	for _, f := range All() {
		for _, e := range f.names {
			if e.use == namesOfOnly {
				unlisted = append(unlisted, f.Name+" "+e.Name)
			}
			if got, err := orderOf(t, e.Name); e.use == namesOfOnly && (err != nil || got != e.Order || e.Meaning != "") {
				t.Errorf("%s of %s is %q (%v), its row says %q", e.Name, f.Name, got, err, e.Order)
			}
			for order := range strings.SplitSeq(e.orders, "|") {
				if l, err := notation.Parse(order); order != "" && (err != nil || l.Format.Explicit() != order) {
					t.Errorf("%s of %s: %q is no explicit order: %v", e.Name, f.Name, order, err)
				}
			}
		}
	}
	if got := strings.Join(unlisted, ", "); got != "MegEngine NCHW, MegEngine NHWC, MegEngine CHWN, TensorFlow NCDHW" {
		t.Errorf("the catalogue leaves out %s", got)
	}
}

// TestCatalogueIsWhole: every framework has rows, and so has every alias and every refused name.
func TestCatalogueIsWhole(t *testing.T) {
	rows := Catalogue()
	for _, f := range All() {
		if !slices.ContainsFunc(rows, func(e Entry) bool { return e.Framework == f.Name }) {
			t.Errorf("%s has no rows", f.Name)
		}
	}
	for _, pattern := range notation.Aliases() {
		if !slices.ContainsFunc(rows, func(e Entry) bool { return pattern.MatchString(e.Name) }) {
			t.Errorf("no row for the alias %s", pattern)
		}
	}
	for _, r := range notation.Refused {
		if !slices.ContainsFunc(rows, func(e Entry) bool { return r.Name == e.Name }) {
			t.Errorf("no row for the refused name %s", r.Name)
		}
	}
}

// TestCatalogueSpells: every name of oneDNN, TVM, TensorRT, MegEngine, cuDNN and the libraries that NamesOf has for a layout parses to that layout.
func TestCatalogueSpells(t *testing.T) {
	spelled := 0
	for _, e := range Catalogue() {
		l, err := notation.Parse(e.Name)
		if err != nil || l.Own != notation.NotOwn || l.Exact != nil {
			continue
		}
		var names []string
		for _, f := range append([]*Framework{OneDNN, TensorRT, MegEngine, TVM, CuDNN}, libraries...) {
			names = append(names, f.NamesOf(l.Format)...)
		}
		for _, name := range names {
			if strings.HasSuffix(name, " weight") || strings.HasSuffix(name, ")") || name == "kLINEAR" {
				continue
			}
			back, err := notation.Parse(name)
			if err != nil {
				t.Errorf("%s is spelled %s, which cannot be read: %v", e.Name, name, err)
				continue
			}
			spelled++
			got := back.ForRank(l.Format.Rank()).Format
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

// orderNamed is the memory order of a name, without sizes.
func orderNamed(t *testing.T, name string) notation.Format {
	t.Helper()
	l, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Format
}
