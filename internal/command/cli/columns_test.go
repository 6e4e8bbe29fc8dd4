package cli

import (
	"slices"
	"testing"
)

// TestColumns: names are those of JSON, joined where one is inside another, in maps too; null is empty, and so is what is in it; of two
// of one name the outer one counts; and a name that there is not is a fault of the program.
func TestColumns(t *testing.T) {
	type inner struct {
		C    bool `json:"c"`
		Size int  `json:"size"`
	}
	type row struct {
		*inner
		Name  string             `json:"name"`
		Dims  []string           `json:"dims"`
		Shape []int              `json:"shape"`
		Types []string           `json:"types"`
		In    *inner             `json:"in"`
		Miss  map[string]float64 `json:"miss"`
		Size  *int               `json:"size"`
	}
	two := 2
	full := row{&inner{true, 1}, "a\x00b", []string{"N", "C"}, []int{3, 4}, []string{"x", "y"}, &inner{false, 7}, map[string]float64{"l1": 0.5}, &two}
	table := TableOf("name,dims,shape,types,c,in_c,length=in_size,miss_l1,miss_l2,size", full, row{})
	if want := []string{"name", "dims", "shape", "types", "c", "in_c", "length", "miss_l1", "miss_l2", "size"}; !slices.Equal(table.Header, want) {
		t.Errorf("header %q", table.Header)
	}
	if want := []string{`a\x00b`, "NC", "3, 4", "x y", "true", "false", "7", "0.5", "", "2"}; !slices.Equal(table.Rows[0], want) {
		t.Errorf("%q, expected %q", table.Rows[0], want)
	}
	if want := make([]string, 10); !slices.Equal(table.Rows[1], want) {
		t.Errorf("%q of null", table.Rows[1])
	}
	defer func() {
		if recover() == nil {
			t.Error("a column that there is not has cells")
		}
	}()
	TableOf("nam", full)
}
