package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
)

// benchChart draws how fast the walks are.
func benchChart(r *bench.Report) render.Chart {
	c := render.Chart{
		Title:    fmt.Sprintf("What a layout costs: %s %s", r.DType, tensor.Tuple(r.Shape)),
		Subtitle: "GB/s read by one thread, with the interval of the median",
		Unit:     "GB/s",
		Limit:    r.ReadRoof(), LimitName: "roof " + figure(r.ReadRoof()),
	}
	for _, p := range []bench.Pattern{bench.Channel, bench.Spatial} {
		g := render.Group{Name: accessName(p)}
		for _, row := range r.Rows {
			if row.Pattern == p {
				g.Bars = append(g.Bars, render.Bar{Label: row.Layout, Value: row.GBps, Low: float64(row.Bytes) / row.CINS[1],
					High: float64(row.Bytes) / row.CINS[0], Text: figure(row.GBps), Best: isBest(r, row)})
			}
		}
		if len(g.Bars) > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c
}
