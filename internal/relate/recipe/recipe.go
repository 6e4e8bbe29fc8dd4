// Package recipe says of which elements of one checkpoint's tensors each tensor of another is made, and makes them.
//
//	recipe.go   the document
//	maker.go    the elements of a tensor, window by window
//	values.go   numbers that are rounded to another dtype, times a factor, plus an addend
//
// A recipe is a list of copies between two layouts, which people read and programs run: diff writes it, check runs it again, convert makes
// the checkpoint.
package recipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Schema is the kind and version of the document.
const Schema = "tlayout/recipe/v1"

// Recipe is the document.
type Recipe struct {
	Schema  string   `json:"schema"`  // kind and version of the document
	A       string   `json:"a"`       // the source that it is made of, as it was named
	B       string   `json:"b"`       // the result, as it was named
	Tensors []Tensor `json:"tensors"` // of b, in b's order
}

// Tensor is a tensor of b. One without pieces is not explained.
type Tensor struct {
	Name   string  `json:"name"`  // its name in b
	DType  string  `json:"dtype"` // of b's elements
	Shape  []int   `json:"shape"`
	How    string  `json:"how,omitempty"`    // the pieces in a few words
	Pieces []Piece `json:"pieces,omitempty"` // copies of a's elements
	*Change
	Why string `json:"not_explained,omitempty"` // why there are no pieces
}

// Piece is a copy of elements, between two layouts of equal dims.
type Piece struct {
	Tensor string `json:"tensor"`      // its name in a
	From   string `json:"from_layout"` // of the storage of a's tensor, in elements
	To     string `json:"to_layout"`   // of b's tensor in row-major order, in elements
}

// Change is what becomes of the elements; nil if they are copied bit for bit. They are read as numbers of FromDType: b = factor·a + addend, rounded
// to b's dtype.
type Change struct {
	FromDType string  `json:"from_dtype"`
	Factor    float64 `json:"factor"`
	Addend    float64 `json:"addend"`
}

// Unexplained returns the tensors that are not explained.
func (r *Recipe) Unexplained() (left []Tensor) {
	for _, t := range r.Tensors {
		if len(t.Pieces) == 0 && numel(t.Shape) > 0 {
			left = append(left, t)
		}
	}
	return left
}

// numel returns the number of elements of a shape, or 0 if it is none.
func numel(shape []int) int {
	n, err := tensor.Numel(shape)
	if err != nil {
		return 0
	}
	return n
}

// Text returns the document, with a line for each tensor.
func (r *Recipe) Text() ([]byte, error) {
	head, err := json.Marshal(Recipe{Schema: r.Schema, A: r.A, B: r.B})
	if err != nil {
		return nil, err
	}
	doc := bytes.TrimSuffix(head, []byte("null}"))
	doc = append(doc, '[')
	for k, t := range r.Tensors {
		line, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		if k > 0 {
			doc = append(doc, ',')
		}
		doc = append(append(doc, '\n'), line...)
	}
	return append(doc, "\n]}\n"...), nil
}

// maxBytes bounds a document: a line of some hundred bytes for each piece of each tensor.
const maxBytes = 256 << 20

// Read reads a document. All that it says is checked here or when it is run. Errors are fault.Malformed.
func Read(r io.Reader) (*Recipe, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fault.New(fault.Resource, "cannot read the recipe: %v", err)
	}
	if len(data) > maxBytes {
		return nil, fault.New(fault.Malformed, "the recipe is larger than %s", text.Bytes(maxBytes))
	}
	var doc Recipe
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&doc)
	if err == nil && decoder.More() {
		err = errors.New("more than a document")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, fault.New(fault.Malformed, "not a recipe: byte %d is not JSON", syntax.Offset).WithHint("diff --recipe writes one")
	}
	if err != nil {
		return nil, fault.New(fault.Malformed, "not a recipe: %v", err).WithHint("diff --recipe writes one")
	}
	if doc.Schema != Schema || doc.Tensors == nil {
		return nil, fault.New(fault.Malformed, "not a recipe: it needs the schema %s and tensors", Schema).WithHint("diff --recipe writes one")
	}
	names := map[string]bool{}
	for _, t := range doc.Tensors {
		if names[t.Name] {
			return nil, fault.New(fault.Malformed, "the recipe has two tensors %s", text.Quoted(text.Cut(t.Name, 200)))
		}
		names[t.Name] = true
		if err := t.check(); err != nil {
			return nil, fault.New(fault.Malformed, "tensor %s: %v", text.Quoted(text.Cut(t.Name, 200)), err)
		}
	}
	return &doc, nil
}

// check returns an error for a shape or a dtype that is none.
func (t Tensor) check() error {
	if _, err := tensor.Numel(t.Shape); err != nil {
		return err
	}
	if t.Change != nil && t.Factor == 0 {
		return errors.New("its factor is missing, or 0")
	}
	_, err := dtype.Parse(t.DType)
	return err
}
