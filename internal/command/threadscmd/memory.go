package threadscmd

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// place says where tensor memory has an element: in a lane and a column, or in how many lanes.
func (r *report) place(owners []ownerReport) string {
	if len(owners) > 1 {
		return text.Count(len(owners), "lane")
	}
	c := owners[0].Memory
	where := fmt.Sprintf("lane %d, column %d", c.Lane, c.Column)
	if r.layout.Bits < 32 {
		where += fmt.Sprintf(", bits %d to %d", c.Bit, c.Bit+r.layout.Bits-1)
	}
	if r.CTAs > 1 {
		where += fmt.Sprintf(", of CTA %d", c.CTA)
	}
	return where
}

// findLanes lists the elements of lanes of tensor memory, in the columns that --column asks for.
func (r *report) findLanes(o *options) error {
	err := inMemory("lane", o.lane.Values, threads.MemoryLanes)
	if err == nil && o.given("column") {
		err = inMemory("column", o.column.Values, threads.MemoryColumns)
	}
	if err != nil {
		return err
	}
	for k := range r.Threads * r.Values {
		owner := r.owner(threads.Owner{Thread: k / r.Values, Value: k % r.Values})
		asked := !o.given("column") || slices.Contains(o.column.Values, owner.Memory.Column)
		if asked && slices.Contains(o.lane.Values, owner.Lane) {
			r.Cells = append(r.Cells, cellReport{r.layout.At(owner.Thread, owner.Value), []ownerReport{owner}})
		}
	}
	r.answer = fmt.Sprintf("%s %s: %s", text.Plural(len(o.lane.Values), "lane", "lanes"), text.Ints(o.lane.Values, ", "),
		text.Count(len(r.Cells), "element"))
	if len(r.Cells) == 1 {
		r.answer = r.place(r.Cells[0].Owners) + " holds " + tensor.Tuple(r.Cells[0].Coord)
	}
	return nil
}

// inMemory checks the numbers of a flag, of which tensor memory has limit.
func inMemory(flag string, numbers []int, limit int) error {
	if len(numbers) == 0 {
		return fault.New(fault.Usage, "--%s names no %s", flag, flag).WithHint("write --lane 5 --column 0,1")
	}
	if slices.Min(numbers) < 0 || slices.Max(numbers) >= limit {
		return fault.New(fault.Usage, "--%s %s: tensor memory has %ss 0 to %d", flag, text.Ints(numbers, ","), flag, limit-1)
	}
	return nil
}

// memoryLines say how a warp reaches tensor memory. (PTX ISA, "Tensor Memory Addressing" and "Access restrictions")
var memoryLines = []string{"warp w of a warpgroup loads and stores lanes 32·w to 32·w + 31", "address: that of tcgen05.alloc + lane·65536 + column"}

// memoryTitle says how much of tensor memory a tile takes.
func (r *report) memoryTitle() string {
	title := fmt.Sprintf("tile %s: %s and %s of tensor memory", tensor.Tuple(r.Tile), text.Count(r.Warp, "lane"), text.Count(r.layout.Columns(), "column"))
	if r.CTAs > 1 {
		return fmt.Sprintf("%s, of %d CTAs each", title, r.CTAs)
	}
	return title
}

// memoryRows lists the places of elements in tensor memory, one a row.
func (r *report) memoryRows() render.Table {
	t := render.Table{Header: []string{"coord", "cta", "lane", "column", "bit"}, Numbers: []int{1, 2, 3, 4}}
	for _, c := range r.Cells {
		for _, o := range c.Owners {
			m := o.Memory
			t.Add(text.Ints(c.Coord, ","), strconv.Itoa(m.CTA), strconv.Itoa(m.Lane), strconv.Itoa(m.Column), strconv.Itoa(m.Bit))
		}
	}
	return t
}
