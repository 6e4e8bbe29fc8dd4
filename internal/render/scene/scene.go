// Package scene describes a picture of a tensor beside the memories that hold it, as data: cells with labels, tints, cache lines and steps
// of a path. Writers show the same scene as text and as a drawing, and decide only how it looks.
//
//	Scene         a tensor beside its memories     text, drawing
//	StreamMemory  a memory of any length           text, row by row
package scene

import (
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Scene is the logical view of a tensor, beside the memories that hold it. An element has the same tint in all of them.
//
//	n=0   c=0  ┌──┬──┐  c=1 ┌──┬──┐        nchw    0 │00 01 02 03│10 11 12 13│
//	           │00│01│      │10│11│
//	           ├──┼──┤      ├──┼──┤        nhwc    0 │00 10│01 11│02 12│03 13│
//	           │02│03│      │12│13│
//	           └──┴──┘      └──┴──┘
//
// To draw something new: what it means in package picture, a field of a Cell, a Memory or the Scene, its looks in both writers, with a key.
type Scene struct {
	Title    string   // one line
	Lines    []string // sentences below it
	Tensor   Grid
	Memories []Memory
	Scale    Scale
}

// Scale explains a scene's tints.
type Scale struct {
	// its name
	Name string `json:"name" jsonschema:"empty if nothing is tinted"`
	vector.Tints
	Low  string `json:"low"`  // meaning of the first tint: c=0
	High string `json:"high"` // meaning of the last tint
}

// Grid is the logical view of the tensor: bands from top to bottom, of planes side by side, of rows of cells.
type Grid struct {
	Name  string // "logical view x[n, c, h, w]"
	Bands []Band
}

// Band is the planes of one image. Skip, if not empty, describes omitted bands.
type Band struct {
	// its name
	Name   string  `json:"name,omitempty" jsonschema:"as n=0; empty for a single band"`
	Planes []Plane `json:"planes,omitempty"` // planes of two dims
	Skip   string  `json:"skip,omitempty"`   // what is left out here
}

// Plane is rows and columns. Skip, if not empty, describes omitted planes.
type Plane struct {
	// its name
	Name    string   `json:"name,omitempty" jsonschema:"as c=0; empty for a single plane"`
	Columns []string `json:"columns,omitempty"` // labels above the columns: w=0, 1, …
	Rows    []Row    `json:"rows,omitempty"`    // rows of a table or picture
	Skip    string   `json:"skip,omitempty"`    // what is left out here
}

// Row is a row of a plane. All rows of a plane have a cell per column.
type Row struct {
	Name  string `json:"name,omitempty"`  // its name
	Cells []Cell `json:"cells,omitempty"` // cells, one by one
}

// Memory is cells in address order, wrapped into rows.
type Memory struct {
	Name   string   // "NHWC"
	Gloss  string   // what the name means: "row-major"; may be empty
	Lines  []string // sentences below the name: strides, lines fetched by a path
	Width  int      // cells of a full row
	Line   int      // bytes of a cache line
	Open   bool     // the storage ends within its last cache line
	Item   int      // bytes of a cell; 0 if unknown
	Rows   []MemoryRow
	Column string // what addresses count: "offset"
}

// MemoryRow is consecutive cells. Skip, if not empty, describes omitted rows.
type MemoryRow struct {
	Address Address `json:"address,omitzero"` // offset of the row's first cell
	Cells   []Cell  `json:"cells,omitempty"`  // cells, one by one
	Skip    string  `json:"skip,omitempty"`   // what is left out here
}

// Address numbers the cells of a memory from 0. In JSON it is a string.
type Address int

// NoAddress is the address of a row that only has a Skip.
const NoAddress Address = -1

func (a Address) String() string {
	if a == NoAddress {
		return ""
	}
	return strconv.Itoa(int(a))
}

// IsZero omits NoAddress from JSON.
func (a Address) IsZero() bool { return a == NoAddress }

// MarshalText is String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Cell is an element, or an offset without one.
type Cell struct {
	Kind CellKind `json:"kind"` // its kind, in a word
	// text in the cells
	Labels []string `json:"labels" jsonschema:"none for padding whose value is not drawn"`
	Tint   Tint     `json:"tint"` // index into the scale
	// number of axes that wrap here
	Edge   int    `json:"edge,omitempty" jsonschema:"of the memory order"`
	Line   Line   `json:"line_index,omitzero"` // number of the cell's cache line
	Hit    bool   `json:"hit,omitempty"`       // the path fetches its cache line here
	Step   int    `json:"step,omitempty"`      // access of the path, from 1
	Shared int    `json:"shared,omitempty"`    // elements at this offset
	Detail string `json:"detail,omitempty"`    // the cell in words
	Holds  []int  `json:"-"`                   // numbers of its elements, or of an element's threads; of many elements, those known
}

// CellKind is what a cell holds.
type CellKind int

// The kinds of cells.
const (
	Element CellKind = iota
	Padding          // between elements, or after the last one of its row
	Outside          // before the first element, or after the padding of the last
	Omitted          // omitted cells of a row or column; the label is "…"
)

func (k CellKind) String() string {
	return [...]string{Element: "element", Padding: "padding", Outside: "outside", Omitted: "omitted"}[k]
}

// MarshalText is String.
func (k CellKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Tint is a color of a scene's scale, from 0; null in JSON is NoTint.
type Tint int

// NoTint leaves a cell without a color.
const NoTint Tint = -1

// MarshalJSON returns the number, or null.
func (t Tint) MarshalJSON() ([]byte, error) {
	if t < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(t), 10), nil
}

// Line numbers the cache lines of a memory.
type Line int

// NoLine is the cache line of a grid's cells; JSON omits it.
const NoLine Line = -1

// IsZero omits NoLine from JSON.
func (l Line) IsZero() bool { return l == NoLine }
