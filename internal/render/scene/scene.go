// Package scene is a picture of a tensor beside the memories that hold it, as data: cells with labels, tints, cache
// lines and steps of a path. Writers show the same scene as text and as a drawing, and decide nothing but looks.
//
//	Scene         a tensor beside its memories     text, drawing
//	StreamMemory  a memory of any length           text, row by row
package scene

import (
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Scene is a tensor as it is indexed, beside one or several memories that hold it. An element has the same tint
// wherever it is drawn.
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
	vector.Tints
	Name      string // "channel", "place in memory", "value"; empty where nothing is tinted
	Low, High string // what the first and the last tint stand for: "c=0", "c=63"
}

// Grid is the tensor as it is indexed: bands one below the other, in each planes side by side, in each rows of cells.
type Grid struct {
	Name  string // "as it is indexed: n, c, h, w"
	Bands []Band
}

// Band is the planes of one image. Where Skip is not empty, it stands for bands that are left out, and says which.
type Band struct {
	Name   string // "n=0"; empty where there is one band only
	Planes []Plane
	Skip   string // "… 6 more of n"
}

// Plane is rows and columns. Where Skip is not empty, it stands for planes that are left out, and says which.
type Plane struct {
	Name    string   // "c=0"; empty where there is one plane only
	Columns []string // "w=0", "1", …: above its columns
	Rows    []Row
	Skip    string // "… 59 more channels"
}

// Row is a plane's row. All rows of a plane have as many cells as it has columns.
type Row struct {
	Name  string // "h=0", "1", …: before it
	Cells []Cell
}

// Memory is cells in the order of their addresses, wrapped into lines.
type Memory struct {
	Name   string   // "nhwc"
	Lines  []string // sentences below the name: its strides, what a path fetches
	Width  int      // cells of a full line
	Line   int      // bytes of a cache line
	Open   bool     // the storage ends before its last cache line does
	Item   int      // bytes of a cell; 0 where that is not known
	Rows   []MemoryRow
	Column string // what the numbers before rows count: "offset"
}

// MemoryRow is cells that lie side by side. Where Skip is not empty, it stands for rows that are left out.
type MemoryRow struct {
	Address string // of its first cell
	Cells   []Cell
	Skip    string // "… 59 more lines of 64 B"
}

// Cell is an element as it is drawn, or a place that holds none.
type Cell struct {
	Kind   CellKind
	Labels []string // one line of text each; all cells of a scene have at most as many as its first
	Detail string   // all there is to say of it: "n=0 c=1 h=0 w=2, offset 11, byte 44, value 3.5"
	Tint   int      // of the scene's scale; -1 for none
	Edge   int      // how many axes of the memory order start over with it: 0 within a run, 1 a block, 2 and more
	Line   int      // the cache line that its first byte lies in; grids do not use it
	Hit    bool     // the path fetched its cache line; grids do not use it
	Step   int      // when the path comes here, from 1 on; 0 where it does not
	Shared int      // elements that lie at the same place, where they are more than one
}

// CellKind is what a place holds.
type CellKind int

const (
	Element CellKind = iota
	Padding          // among the elements, and of none
	Outside          // before the first element, or behind the last one's row
	Omitted          // stands for cells of a row, or of a column, that are left out; its label is "…"
)
