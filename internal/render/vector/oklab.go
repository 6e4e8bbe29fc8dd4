package vector

import "math"

// OKLab is a colour whose distance from another is about how different they look; see oklch.
type OKLab struct{ L, a, b float64 }

// NewOKLab is a colour of sRGB. Of red, green and blue light it is
//
//	l = ∛(0.4122·r + 0.5363·g + 0.0514·b)        L = 0.2105·l + 0.7936·m - 0.0041·s
//	m = ∛(0.2119·r + 0.6807·g + 0.1074·b)        a = 1.9780·l - 2.4286·m + 0.4506·s
//	s = ∛(0.0883·r + 0.2817·g + 0.6300·b)        b = 0.0259·l + 0.7828·m - 0.8087·s
func NewOKLab(red, green, blue uint8) OKLab {
	r, g, b := lightOf(red), lightOf(green), lightOf(blue)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return OKLab{0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
}

// Distance is that of two points in OKLab.
func (x OKLab) Distance(y OKLab) float64 {
	return math.Sqrt((x.L-y.L)*(x.L-y.L) + (x.a-y.a)*(x.a-y.a) + (x.b-y.b)*(x.b-y.b))
}
