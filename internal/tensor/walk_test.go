package tensor

import (
	"slices"
	"testing"
)

// TestAccessOrder: images stay outermost and all else keeps its order, wherever the channels stand; without channels or
// pixels there is no such order.
func TestAccessOrder(t *testing.T) {
	for _, c := range []struct {
		names                string
		channelwise, spatial []int
		ok                   bool
	}{
		{"NCHW", []int{0, 2, 3, 1}, []int{0, 1, 2, 3}, true},
		{"HWCN", []int{3, 0, 1, 2}, []int{3, 2, 0, 1}, true},
		{"CW", []int{1, 0}, []int{0, 1}, true},
		{"NC", []int{0, 1}, []int{0, 1}, false},
		{"NHW", []int{0, 1, 2}, []int{0, 1, 2}, false},
		{"", nil, nil, false},
	} {
		var dims []Dim
		for _, name := range c.names {
			dims = append(dims, Dim{Name: string(name), Size: 2, Digits: []Digit{{Div: 1, Extent: 2, Stride: 1}}})
		}
		l, err := New(dims, 0, Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		channelwise, ok := l.AccessOrder(true)
		spatial, also := l.AccessOrder(false)
		if !slices.Equal(channelwise, c.channelwise) || !slices.Equal(spatial, c.spatial) || ok != c.ok || also != c.ok {
			t.Errorf("%s: %v and %v, %v and %v", c.names, channelwise, spatial, ok, also)
		}
	}
}
