package diagnose

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// pixelFormat is a format of images by its samples per pixel, which is a fraction.
type pixelFormat struct {
	samples, pixels int
	name            string
	reshape         func(height, width int) []int
	holds           string // what the reshaped array holds
}

// pixelFormats are the formats that decoders and cameras write. 4:2:0 is what cv2.cvtColor reads as one plane of 3/2 the height.
var pixelFormats = []pixelFormat{
	{1, 1, "gray, or a Bayer mosaic", func(h, w int) []int { return []int{h, w} }, "one sample per pixel"},
	{5, 4, "packed 10-bit samples of one channel (RAW10)", func(h, w int) []int { return []int{h, w / 4, 5} }, "4 pixels in 5 bytes"},
	{3, 2, "4:2:0 (NV12, I420) or packed 12-bit samples", func(h, w int) []int { return []int{h * 3 / 2, w} }, "Y, then U and V"},
	{2, 1, "4:2:2 (YUYV, UYVY), or bytes of 16-bit samples", func(h, w int) []int { return []int{h, w, 2} }, "Y and, in turn, U or V"},
	{3, 1, "RGB", func(h, w int) []int { return []int{h, w, 3} }, "channels last"},
	{4, 1, "RGBA, BGRA or BGRX", func(h, w int) []int { return []int{h, w, 4} }, "channels last"},
}

// resized says what n elements may be that do not have the sizes, whose product is given, and how to reshape them.
func resized(to []int, n, product int) (fact string, fixes []string) {
	if n > product && n%product == 0 {
		return fmt.Sprintf("the tensor has %d times the elements", n/product),
			[]string{fmt.Sprintf("x.reshape(%s)  # the -1 becomes %d", text.Ints(append([]int{-1}, to...), ", "), n/product)}
	}
	fact, fixes = imageOf(to, n)
	if fact != "" {
		return fact, fixes
	}
	for d, x := range to {
		rest := product / max(x, 1)
		if x > 0 && n%rest == 0 {
			with := slices.Clone(to)
			with[d] = -1
			fixes = append(fixes, fmt.Sprintf("x.reshape(%s)  # the -1 becomes %d", text.Ints(with, ", "), n/rest))
		}
	}
	return "", fixes
}

// imageOf answers where the sizes are an image's, H,W, H,W,C or C,H,W with 1, 3 or 4 channels, and the elements are another format's.
func imageOf(to []int, n int) (fact string, fixes []string) {
	if len(to) != 2 && len(to) != 3 {
		return "", nil
	}
	isChannels := func(n int) bool { return n == 1 || n == 3 || n == 4 }
	last := append(slices.Clone(to), 1) // H,W has one channel
	if len(to) == 3 && !isChannels(to[2]) {
		last = []int{to[1], to[2], to[0]}
	}
	height := last[0]
	width := last[1]
	channels := last[2]
	if !isChannels(channels) {
		return "", nil
	}
	pixels, ok := tensor.Mul(height, width)
	if !ok || min(height, width) < minSide {
		return "", nil
	}
	for _, f := range pixelFormats {
		all, fits := tensor.Mul(pixels, f.samples)
		shape := f.reshape(height, width)
		size, err := tensor.Numel(shape)
		if !fits || all%f.pixels != 0 || all/f.pixels != n {
			continue
		}
		if err != nil || size != n {
			continue
		}
		return fmt.Sprintf("%s per pixel of %d x %d: %s", samples(f.samples, f.pixels), height, width, f.name),
			[]string{fmt.Sprintf("x.reshape(%s)  # %s", text.Ints(shape, ", "), f.holds)}
	}
	row := width * channels
	if pitch := n / height; n%height == 0 && pitch > row && pitch-row < row/2 {
		sizes := last[:len(to)]
		return fmt.Sprintf("%d rows of %d elements: %d more than %s, which may be padding", height, pitch, pitch-row, text.Product(sizes[1:])),
			[]string{fmt.Sprintf("x.reshape(%d, %d)[:, :%d].reshape(%s)", height, pitch, row, text.Ints(sizes, ", "))}
	}
	return "", nil
}

// minSide is the least height and width of an image, in pixels: smaller sizes are likely not an image's.
const minSide = 16

// samples returns "1.5 samples" of 3 and 2.
func samples(a, b int) string {
	if a == b {
		return "1 sample"
	}
	return fmt.Sprint(float64(a)/float64(b)) + " samples"
}
