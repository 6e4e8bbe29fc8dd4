package axes

import (
	"slices"
	"strings"
)

// Images is what the values of an array of 3 or 4 axes say about the order of its axes, if it holds images or activations.
type Images struct {
	Roughness []Roughness // of each axis
	Planes    []Planes    // of each axis
	// Orders are the orders of axes that explain the values, H before W: none if no two axes are H and W, two if N and C cannot be told apart; the
	// first one is usual.
	Orders []string
}

// imageOrders lists orders with H and W at the same axes. The first one is usual; in the second, N and C change places, or N is in place of C.
var imageOrders = [][]string{{"NCHW", "CNHW"}, {"NHWC", "CHWN"}, {"CHW", "NHW"}, {"HWC", "HWN"}}

// ReadImages samples an array that is not empty, the same in each run. read reads along the axis inner.
func ReadImages(shape []int, inner int, read Reader) Images {
	images := Images{roughnesses(shape, inner, read), make([]Planes, len(shape)), nil}
	for _, orders := range imageOrders {
		usual := orders[0]
		if len(usual) != len(shape) || !images.fit(usual) {
			continue
		}
		images.Planes = comparePlanes(shape, strings.Index(usual, "H"), inner, read)
		images.Orders = orders
		if images.showChannels(usual) {
			images.Orders = orders[:1]
		}
	}
	return images
}

// fit reports whether H and W of an order are smooth, its C is rough, and its N is not a third smooth axis; not for np.arange.
func (m *Images) fit(order string) bool {
	smooth := func(axis byte) bool {
		at := strings.IndexByte(order, axis)
		return at >= 0 && m.Roughness[at].Smooth()
	}
	if !smooth('H') || !smooth('W') || smooth('N') {
		return false
	}
	if !m.Roughness[strings.Index(order, "C")].Rough() {
		return false
	}
	return slices.ContainsFunc(m.Roughness, func(r Roughness) bool { return !r.ramp() })
}

// showChannels reports whether planes along C of an order are channels of an image, and planes along its N are not.
func (m *Images) showChannels(order string) bool {
	n := strings.Index(order, "N")
	c := strings.Index(order, "C")
	if !m.Planes[c].AreChannels() {
		return false
	}
	return n < 0 || m.Roughness[n].Size == 1 || m.Planes[n].Edges <= MaxUnshared
}
