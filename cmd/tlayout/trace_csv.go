package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// csv has a row for the start and for each step.
func (r *traceReport) csv() render.Table {
	t := render.Table{Header: strings.Split("step,op,shape,strides,offset,c,f,channels_last,channels_last_3d,kind,bytes_copied,why,error", ",")}
	add := func(op, kind, copied, why, refused string, s *traceState) {
		cells := []string{strconv.Itoa(len(t.Rows)), op, "", "", "", "", "", "", ""}
		if c := s.Contiguous; c != nil {
			cells = append(cells[:2], words.Ints(s.Shape, ", "), words.Ints(s.Strides, ", "), strconv.Itoa(*s.Offset),
				fmt.Sprint(c.C), fmt.Sprint(c.F), fmt.Sprint(c.ChannelsLast), fmt.Sprint(c.ChannelsLast3D))
		}
		t.Add(append(cells, kind, copied, why, refused)...)
	}
	add("start", "", "", "", "", &r.Start)
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Error != nil:
			add(s.Op, "", "", s.Why, s.Error.Text, &s.traceState)
		default:
			add(s.Op, string(*s.Kind), strconv.Itoa(s.Copied), s.Why, "", &s.traceState)
		}
	}
	return t
}
