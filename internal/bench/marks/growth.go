package marks

import (
	"fmt"
	"io"
)

// image is the size in bytes of one image of the rows of growth, with items of 4 bytes.
const image = 64 * 56 * 56 * 4

var growthLayouts = [][2]string{{"nchw", "nhwc"}, {"nhwc", "nchw"}, {"nchw", "nchw16"}, {"nchw16", "nchw"}, {"nchw", "chwn"}, {"chwn", "nchw"}}

// growthRow is a conversion of about mib MiB.
func growthRow(mib int, layouts [2]string) row {
	return row{shape: [4]int{max(1, (mib<<20+image/2)/image), 64, 56, 56}, item: 4, from: layouts[0], to: layouts[1]}
}

// measureGrowth prints how many times as much time a byte takes as in the smallest size, for memcpy and for conversions.
func measureGrowth(w io.Writer, samples int) error {
	fmt.Fprintf(w, "Time per byte, as a multiple of that at 1 MiB: the conversion's / the roof's for as many bytes.\n\n| MiB |")
	for _, l := range growthLayouts {
		fmt.Fprintf(w, " %s to %s |", l[0], l[1])
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|---|\n")
	var b buffers
	first := make([][2]float64, len(growthLayouts))
	for mib := 1; mib <= 1024; mib *= 4 {
		fmt.Fprintf(w, "| %d |", mib)
		for i, l := range growthLayouts {
			got, err := measure(&b, growthRow(mib, l), nil, samples, false)
			if err != nil {
				return err
			}
			conversion, roof := got.perByte()
			if mib == 1 {
				first[i] = [2]float64{conversion, roof}
			}
			fmt.Fprintf(w, " %.2f / %.2f |", conversion/first[i][0], roof/first[i][1])
		}
		fmt.Fprintln(w)
	}
	return nil
}

// perByte is how many nanoseconds a byte read and a byte written take, together.
func (r result) perByte() (conversion, roof float64) {
	roof = 2 / r.RoofGBPerS
	return roof / r.Tlayout, roof
}
