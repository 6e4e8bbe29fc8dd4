package recipe

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// whole is a document with everything that one may have.
func whole() *Recipe {
	return &Recipe{
		Schema: Schema, A: "a.safetensors", B: "dir/b \"quoted\" <&> é.safetensors",
		Tensors: []Tensor{
			{Name: "qkv", DType: "float32", Shape: []int{6, 4}, How: "[q, k] along dim 0",
				Pieces: []Piece{{"q", "(3,4):(4,1)", "(3,4):(4,1)"}, {"k", "(3,4):(4,1)", "(3,4):(4,1)@12"}}},
			{Name: "cast", DType: "float16", Shape: []int{2}, Pieces: []Piece{{"x", "2:1", "2:1"}}, Change: &Change{"float32", 1, 0}},
			{Name: "scaled", DType: "uint8", Shape: []int{2}, Pieces: []Piece{{"x", "2:1", "2:1"}}, Change: &Change{"float32", 1.0 / 255, -0.1}},
			{Name: "scalar", DType: "int64", Shape: []int{}, Pieces: []Piece{{"n", "1:1", "1:1"}}},
			{Name: "empty", DType: "int64", Shape: []int{3, 0}},
			{Name: "new\n", DType: "bfloat16", Shape: []int{5}, Why: "no relation to a tensor of a was found"},
		},
	}
}

// TestTextAndRead: what is written is read as the same document, with a line for each tensor; written again, it has the same bytes.
func TestTextAndRead(t *testing.T) {
	for _, doc := range []*Recipe{whole(), {Schema: Schema, Tensors: []Tensor{}}} {
		text, err := doc.Text()
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n != len(doc.Tensors)+2 {
			t.Errorf("%d lines of %d tensors:\n%s", n, len(doc.Tensors), text)
		}
		read, err := Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(read, doc) {
			t.Errorf("%+v, want %+v", read, doc)
		}
		again, err := read.Text()
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%v\n%s\n%s", err, again, text)
		}
	}
}

// TestTextRefuses: a factor that is no number of JSON is an error, and no half of a document.
func TestTextRefuses(t *testing.T) {
	doc := whole()
	doc.Tensors[1].Change = &Change{"float32", math.Inf(1), 0}
	if text, err := doc.Text(); err == nil {
		t.Errorf("%s", text)
	}
}

// TestUnexplained: tensors without pieces are named, but for those that have no elements.
func TestUnexplained(t *testing.T) {
	left := whole().Unexplained()
	if len(left) != 1 || left[0].Name != "new\n" {
		t.Errorf("%+v", left)
	}
}

// documentOf returns a document of these tensors, in JSON.
func documentOf(tensors string) string {
	return `{"schema":"tlayout/recipe/v1","a":"a","b":"b","tensors":[` + tensors + `]}`
}

// TestReadRefuses: each document that is none is refused as such, and the error says why.
func TestReadRefuses(t *testing.T) {
	const good = `{"name":"x","dtype":"float32","shape":[2],"pieces":[{"tensor":"y","from_layout":"2:1","to_layout":"2:1"}]}`
	if _, err := Read(strings.NewReader(documentOf(good))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, text, want string }{
		{"nothing", "", "EOF"},
		{"no JSON", "GGUF", "byte 1 is not JSON"},
		{"half a document", documentOf(good)[:80], "EOF"},
		{"two documents", documentOf(good) + "{}", "more than a document"},
		{"no object", "[]", "not a recipe: "},
		{"no schema", `{"tensors":[]}`, "it needs the schema"},
		{"another schema", strings.Replace(documentOf(good), "recipe/v1", "diff/v1", 1), "it needs the schema"},
		{"a later version", strings.Replace(documentOf(good), "recipe/v1", "recipe/v2", 1), "it needs the schema"},
		{"a name that is a number", documentOf(`{"name":1,"dtype":"float32","shape":[2]}`), "cannot unmarshal number"},
		{"a shape of fractions", documentOf(`{"name":"x","dtype":"float32","shape":[2.5]}`), "cannot unmarshal number"},
		{"no tensors", `{"schema":"tlayout/recipe/v1","a":"","b":""}`, "it needs the schema tlayout/recipe/v1 and tensors"},
		{"an unknown member", documentOf(`{"name":"x","dtype":"float32","shape":[2],"scale":2}`), "unknown field"},
		{"no factor", documentOf(`{"name":"x","dtype":"float32","shape":[2],"from_dtype":"float16"}`), "its factor is missing, or 0"},
		{"one name twice", documentOf(good + "," + good), `two tensors "x"`},
		{"a negative size", documentOf(`{"name":"x","dtype":"float32","shape":[-1]}`), `"x"`},
		{"too many elements", documentOf(`{"name":"x","dtype":"float32","shape":[4611686018427387904,4]}`), "4611686018427387904"},
		{"no dtype", documentOf(`{"name":"x","shape":[2]}`), `"x"`},
		{"a dtype that is none", documentOf(`{"name":"x","dtype":"float33","shape":[2]}`), `"x"`},
	} {
		_, err := Read(strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s is read", c.what)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

// TestReadClass: all that is wrong with a document is Malformed, as Read says.
func TestReadClass(t *testing.T) {
	check := func(t *testing.T, text string) {
		t.Helper()
		_, err := Read(strings.NewReader(text))
		if fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%s: class %v: %v", text, fault.ClassOf(err), err)
		}
	}
	for _, text := range []string{"", "[]", "{}", documentOf(`{"name":"x","dtype":"int8","shape":[1]},{"name":"x","dtype":"int8","shape":[1]}`)} {
		check(t, text)
	}
	t.Run("of a tensor", func(t *testing.T) {
		check(t, documentOf(`{"name":"x","dtype":"float33","shape":[2]}`))
		check(t, documentOf(`{"name":"x","dtype":"float32","shape":[-1]}`))
	})
}

// FuzzRead reads any bytes as a recipe: no panic, a *fault.Error or a document, which is written and read as the same one, and which says
// for each tensor whether it is explained.
func FuzzRead(f *testing.F) {
	text, err := whole().Text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for _, seed := range []string{"{}", documentOf(""), documentOf(`{"name":"x","dtype":"float32","shape":null,"factor":2}`),
		documentOf(`{"name":"x","dtype":"<i4,S2","shape":[0],"pieces":[]}`), `{"SCHEMA":"tlayout/recipe/v1","tensors":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := Read(bytes.NewReader(raw))
		if err != nil {
			if fault.ClassOf(err) == fault.Resource {
				t.Fatalf("%v", err)
			}
			return
		}
		first, err := doc.Text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("our own document: %v\n%s", err, first)
		}
		second, err := again.Text()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v\n%s\n%s", err, first, second)
		}
		if len(doc.Unexplained()) != len(again.Unexplained()) {
			t.Fatalf("%+v, and %+v after it was written", doc.Unexplained(), again.Unexplained())
		}
		for _, x := range doc.Tensors {
			makeNothing(t, x)
		}
	})
}
