//go:build !js

package guesscmd

import (
	"image/png"
	"io"
)

func (p *picture) png(w io.Writer) error { return png.Encode(w, p) }
