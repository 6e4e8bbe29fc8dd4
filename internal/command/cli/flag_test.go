package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list that cannot be read leaves the flag as not given.
func TestIntsFlag(t *testing.T) {
	var f Ints
	if err := f.Set("torch.Size([2, 3])"); err != nil || !f.Given || !cmp.Equal(f.Values, []int{2, 3}) || f.String() != "2, 3" {
		t.Errorf("%+v, %v", f, err)
	}
	if err := f.Set("2,x"); err == nil || f.Given {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestBytesFlag(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "4096": 4096, "7B": 7, "64MiB": 64 << 20, "1.5GB": 15e8, "2k": -1, "2K": 2048, "3 MiB": 3 << 20, "1TiB": 1 << 40, "1kB": 1000,
	} {
		var f Bytes
		err := f.Set(text)
		if (err != nil) != (want < 0) || want >= 0 && f.N != want {
			t.Errorf("Set(%q) = %d, %v; expected %d", text, f.N, err, want)
		}
	}
	for _, text := range []string{"", "-1", "many", "nan", "inf", "1e300GiB", "1 2", "MiB"} {
		if err := new(Bytes).Set(text); err == nil {
			t.Errorf("Set(%q) succeeds", text)
		}
	}
}

func TestEnum(t *testing.T) {
	var f Format
	e := EnumOf(&f, Table, JSON)
	if f != Table || e.Type() != "table|json" || e.String() != "table" {
		t.Errorf("%q, %q, %q", f, e.Type(), e.String())
	}
	if err := e.Set("json"); err != nil || f != JSON {
		t.Errorf("Set: %v, %q", err, f)
	}
	if err := e.Set("xml"); err == nil || f != JSON {
		t.Errorf("Set of a word that is not there: %v, %q", err, f)
	}
}

// TestOffered: every layout and dtype that the shell is offered is one that the program reads.
func TestOffered(t *testing.T) {
	layouts, _ := CompleteLayouts(nil, nil, "")
	for _, offered := range layouts {
		word, _, _ := strings.Cut(offered, "\t")
		if err := new(Layout).Set(word); err != nil {
			t.Errorf("--from %s: %v", word, err)
		}
	}
	dtypes, _ := CompleteDTypes(nil, nil, "")
	for _, offered := range dtypes {
		word, _, _ := strings.Cut(offered, "\t")
		if err := new(DType).Set(word); err != nil {
			t.Errorf("--dtype %s: %v", word, err)
		}
	}
	if len(layouts) < 20 || len(dtypes) < 15 {
		t.Errorf("%d layouts and %d dtypes", len(layouts), len(dtypes))
	}
}
