package main

import (
	"fmt"
	"io"
)

var growthLayouts = [][2]string{{"nchw", "nhwc"}, {"nhwc", "nchw"}, {"nchw", "nchw16"}, {"nchw16", "nchw"}, {"nchw", "chwn"}, {"chwn", "nchw"}}

// growthRow is a conversion of about mib MiB.
func growthRow(mib int, layouts [2]string) row {
	const image = 64 * 56 * 56 * 4 // bytes
	return row{shape: [4]int{max(1, (mib<<20+image/2)/image), 64, 56, 56}, size: 4, from: layouts[0], to: layouts[1]}
}

// measureGrowth prints the time per byte of conversions and of their roofs, over that of the smallest size.
func measureGrowth(w io.Writer, samples int) error {
	fmt.Fprintf(w, "Time per byte, as a multiple of that at 1 MiB: the conversion's / the roof's for as many bytes.\n\n| MiB |")
	for _, l := range growthLayouts {
		fmt.Fprintf(w, " %s to %s |", l[0], l[1])
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|---|\n")
	var b buffers
	first := make([]result, len(growthLayouts))
	for mib := 1; mib <= 1024; mib *= 4 {
		fmt.Fprintf(w, "| %d |", mib)
		for i, l := range growthLayouts {
			got, err := b.measure(growthRow(mib, l), nil, samples, false)
			if err != nil {
				return err
			}
			if mib == 1 {
				first[i] = got
			}
			fmt.Fprintf(w, " %.2f / %.2f |", first[i].GBps/got.GBps, first[i].RoofGBps/got.RoofGBps)
		}
		fmt.Fprintln(w)
	}
	return nil
}
