// Package scene is a picture of a tensor beside the memories that hold it, as data: cells with labels, tints, cache
// lines and steps of a path. Writers show the same scene as text and as a drawing, and decide nothing but looks.
//
//	Scene         a tensor beside its memories     text, drawing
//	StreamMemory  a memory of any length           text, row by row
package scene

import (
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Scene is a tensor as it is indexed, beside the memories that hold it. An element has the same tint in all of them.
//
//	n=0   c=0  ┌──┬──┐  c=1 ┌──┬──┐        nchw    0 │00 01 02 03│10 11 12 13│
//	           │00│01│      │10│11│
//	           ├──┼──┤      ├──┼──┤        nhwc    0 │00 10│01 11│02 12│03 13│
//	           │02│03│      │12│13│
//	           └──┴──┘      └──┴──┘
type Scene struct {
	Title    string   // one line
	Lines    []string // sentences below it
	Tensor   Grid
	Memories []Memory
	Scale    Scale
}

// Scale says what a scene's tints mean.
type Scale struct {
	Name string `json:"name" jsonschema:"empty if nothing is tinted"`
	vector.Tints
	Low  string `json:"low"`  // meaning of the first tint: c=0
	High string `json:"high"` // meaning of the last tint
}

// Grid is the tensor as it is indexed: bands from top to bottom, of planes side by side, of rows of cells.
type Grid struct {
	Name  string // "logical view x[n, c, h, w]"
	Bands []Band
}

// Band is the planes of one image. Skip, if not empty, describes bands that are left out here.
type Band struct {
	Name   string  `json:"name,omitempty" jsonschema:"as n=0; empty for a single band"`
	Planes []Plane `json:"planes,omitempty"` // planes of two dims
	Skip   string  `json:"skip,omitempty"`
}

// Plane is rows and columns. Skip, if not empty, describes planes that are left out here.
type Plane struct {
	Name    string   `json:"name,omitempty" jsonschema:"as c=0; empty for a single plane"`
	Columns []string `json:"columns,omitempty"` // labels above the columns: w=0, 1, …
	Rows    []Row    `json:"rows,omitempty"`    // rows of a table or picture
	Skip    string   `json:"skip,omitempty"`    // what is left out here
}

// Row is a row of a plane. All rows of a plane have as many cells as it has columns.
type Row struct {
	Name  string `json:"name,omitempty"`
	Cells []Cell `json:"cells,omitempty"` // cells, one by one
}

// Memory is cells in address order, wrapped into rows.
type Memory struct {
	Name   string   // "NHWC"
	Gloss  string   // what the name means: "row-major"; may be empty
	Lines  []string // sentences below the name: its strides, what a path fetches
	Width  int      // cells of a full row
	Line   int      // bytes of a cache line
	Open   bool     // the storage ends within its last cache line
	Item   int      // bytes of a cell; 0 if unknown
	Rows   []MemoryRow
	Column string // what addresses count: "offset"
}

// MemoryRow is consecutive cells. Skip, if not empty, describes rows that are left out here.
type MemoryRow struct {
	Address Address `json:"address,omitzero"` // offset of the row's first cell, in elements
	Cells   []Cell  `json:"cells,omitempty"`
	Skip    string  `json:"skip,omitempty"`
}

// Address numbers the cells of a memory from 0. In JSON it is a string.
type Address int

// NoAddress is the address of a row that only skips others.
const NoAddress Address = -1

func (a Address) String() string {
	if a == NoAddress {
		return ""
	}
	return strconv.Itoa(int(a))
}

// IsZero leaves NoAddress out of JSON.
func (a Address) IsZero() bool { return a == NoAddress }

// MarshalText is String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Cell is an element as it is drawn, or an offset without one.
type Cell struct {
	Kind   CellKind `json:"kind"`
	Labels []string `json:"labels" jsonschema:"none for padding whose value is not drawn"`
	Tint   Tint     `json:"tint"` // index into the scale
	// number of axes that wrap here
	Edge   int    `json:"edge,omitempty" jsonschema:"of the memory order"`
	Line   Line   `json:"line_index,omitzero"` // number of the cell's cache line
	Hit    bool   `json:"hit,omitempty"`       // whether the path fetches its cache line here
	Step   int    `json:"step,omitempty"`      // access of the path, from 1
	Shared int    `json:"shared,omitempty"`    // number of elements at this offset
	Detail string `json:"detail,omitempty"`    // the cell in words
}

// CellKind is what a cell holds.
type CellKind int

// The kinds of cells.
const (
	Element CellKind = iota
	Padding          // between elements, or after the last one of its row
	Outside          // before the first element, or after the padding of the last
	Omitted          // cells of a row or a column that are left out; its label is "…"
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

// MarshalJSON is the number, or null.
func (t Tint) MarshalJSON() ([]byte, error) {
	if t < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(t), 10), nil
}

// Line numbers the cache lines of a memory.
type Line int

// NoLine is the cache line of cells of a grid; JSON leaves it out.
const NoLine Line = -1

// IsZero leaves NoLine out of JSON.
func (l Line) IsZero() bool { return l == NoLine }
