package vector

// RGB is the colour of a paint in the light or the dark scheme; Ground's, where it is None or a tint, whose colour
// Tints has. Text has a contrast of at least 4.5 to the ground, bars, frames, edges and paths one of 3 to what they lie
// on, as WCAG 2.2 defines contrast and asks for it (1.4.3 and 1.4.11).
func (p Paint) RGB(dark bool) (r, g, b uint8) {
	c, known := palette[p]
	if !known {
		c = palette[Ground]
	}
	rgb := c.light
	if dark {
		rgb = c.dark
	}
	return uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb)
}

// shades are 0xrrggbb, one for each scheme.
type shades struct{ light, dark uint32 }

var palette = map[Paint]shades{
	Ground: {0xffffff, 0x12161c},
	Ink:    {0x1c2430, 0xe6ebf2},
	Quiet:  {0x566273, 0x9aa7b8},
	Accent: {0x1d4fd7, 0x82b1ff},
	Grid:   {0xe3e8ee, 0x29313c},
	Bar:    {0x8494a8, 0x66768c},
	Best:   {0x2b63e8, 0x3b7cf0},
	Limit:  {0xa8480a, 0xf0b060},
	Edge:   {0x3d4a5c, 0xc2ccd9},
	Frame:  {0x526177, 0x9aa8bc},
	Hatch:  {0xa3aebc, 0x4c586a},
}

// rgb is the colour of any paint of the drawing.
func (d Drawing) rgb(p Paint, dark bool) (r, g, b uint8) {
	if p >= firstTint {
		return d.Tints.RGB(int(p-firstTint), dark)
	}
	return p.RGB(dark)
}
