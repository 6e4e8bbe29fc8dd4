package picture

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
)

// The figures of docs/sources.md, read from their memories.

// values draws a tensor with its values, in its own storage.
func values(t *testing.T, l tensor.Layout, held string) (grid, memory []scene.Cell) {
	t.Helper()
	s := Subject{Layout: l, Value: holding(held)}
	drawn := mustDraw(t, s, []Memory{{Name: "own", Layout: l, Own: true}}, Options{Labels: []Label{Value}})
	return cells(drawn.Tensor), places(drawn.Memories[0])
}

// wantMemory draws a tensor with the given texts as elements, in logical order, and compares the first memory.
func wantMemory(t *testing.T, held string, l, memory tensor.Layout, want string) {
	t.Helper()
	label := Value
	s := Subject{Layout: l, Size: 4, Value: holding(held)}
	if held == "" {
		label, s.Value = Index, nil
	}
	scene := mustDraw(t, s, []Memory{{Name: "memory", Layout: memory}}, Options{Labels: []Label{label}})
	if got := written(places(scene.Memories[0])) + " "; !strings.HasPrefix(got, want+" ") {
		t.Errorf("memory holds %.120s\nthe source says %s", got, want)
	}
}

// TestSource1: a 1×3×2×2 tensor before and after its conversion to channels_last.
func TestSource1(t *testing.T) {
	held := "14 16 20 11 8 26 15 18 29 21 10 3"
	x := packed(t, 1, 3, 2, 2)
	wantMemory(t, held, x, x, held)
	wantMemory(t, held, x, strided(t, []int{1, 3, 2, 2}, []int{12, 1, 6, 3}, 0, -1), "14 8 29 16 26 21 20 15 10 11 18 3")
}

// TestSource1Formats: X of 1×64×5×4: along W and H first, or along the channels first; element 20 is the first of the second channel.
func TestSource1Formats(t *testing.T) {
	x := packed(t, 1, 64, 5, 4)
	wantMemory(t, "", x, x, "0 1 2 3 4 5")
	wantMemory(t, "", x, strided(t, []int{1, 64, 5, 4}, []int{1280, 1, 256, 64}, 0, -1), "0 20 40 60 80 100")
}

// TestSource2: the letters A to F by rows, by columns, and in padded rows; three letters as two rows; A to L by depth.
func TestSource2(t *testing.T) {
	shape := []int{2, 3}
	rows := packed(t, shape...)
	wantMemory(t, "A B C D E F", rows, rows, "A B C D E F")
	wantMemory(t, "A B C D E F", rows, strided(t, shape, []int{1, 2}, 0, -1), "A D B E C F")
	wantMemory(t, "A B C D E F", rows, strided(t, shape, []int{5, 1}, 0, 10), "A B C x x D E F x x")
	broadcast := strided(t, shape, []int{0, 1}, 0, 3)
	wantMemory(t, "A B C", broadcast, broadcast, "A B C")
	if grid, _ := values(t, broadcast, "A B C"); written(grid) != "A B C A B C" {
		t.Errorf("broadcast rows read %s", written(grid))
	}
	wantMemory(t, "A B C D E F G H I J K L", packed(t, 2, 2, 3), packed(t, 2, 2, 3), "A B C D E F G H I J K L")
}

// TestSource3: a matrix in C and in Fortran order, and an image color by color and pixel by pixel.
func TestSource3(t *testing.T) {
	m := packed(t, 2, 2)
	wantMemory(t, "1 2 3 4", m, m, "1 2 3 4")
	wantMemory(t, "1 2 3 4", m, strided(t, []int{2, 2}, []int{1, 2}, 0, -1), "1 3 2 4")
	image, held := packed(t, 3, 1, 3), "R R R G G G B B B"
	wantMemory(t, held, image, image, held)
	wantMemory(t, held, image, strided(t, []int{3, 1, 3}, []int{1, 9, 3}, 0, -1), "R G B R G B R G B")
}

// TestSource4: a slice starts within its storage, the rest of which is outside; a transpose keeps the storage.
func TestSource4(t *testing.T) {
	ten := "0 1 2 3 4 5 6 7 8 9"
	grid, memory := values(t, strided(t, []int{5}, []int{1}, 3, 10), ten)
	if written(grid) != "3 4 5 6 7" || written(memory) != ten {
		t.Errorf("x[3:8] reads %s, its storage %s", written(grid), written(memory))
	}
	want := "offset 2, byte 2, outside of the tensor, before the first element, which is at offset 3; value 2"
	if got := memory[2].Detail; got != want {
		t.Errorf("before it: %s", got)
	}
	grid, memory = values(t, strided(t, []int{3, 2}, []int{1, 3}, 0, -1), ten)
	if written(grid) != "0 3 1 4 2 5" || written(memory) != "0 1 2 3 4 5" {
		t.Errorf("X.T reads %s, its storage %s", written(grid), written(memory))
	}
}

// TestSource5: 2×64×3×3 elements numbered 0 to 1151, in MegEngine's formats.
func TestSource5(t *testing.T) {
	shape := []int{2, 64, 3, 3}
	x := packed(t, shape...)
	wantMemory(t, "", x, x, "0 1 2 3 4 5 6 7 8 9")
	wantMemory(t, "", x, strided(t, shape, []int{576, 1, 192, 64}, 0, -1), "0 9 18")
	wantMemory(t, "", x, layout(t, blocked(2, 64, 3, 3, 4), 0, -1), "0 9 18 27 1 10 19 28")
	wantMemory(t, "", x, layout(t, blocked(2, 64, 3, 3, 64), 0, -1), "0 9 18")
	chwn4 := layout(t, []tensor.Dim{digits("N", 2, nil, []int{4}), digits("C", 64, []int{4}, []int{1, 72}),
		digits("H", 3, nil, []int{24}), digits("W", 3, nil, []int{8})}, 0, -1)
	wantMemory(t, "", x, chwn4, "0 9 18 27 576 585 594 603 1 10")
	nchw32 := layout(t, blocked(2, 64, 3, 3, 32), 0, -1)
	got := places(mustDraw(t, Subject{Layout: x}, []Memory{{Name: "nchw32", Layout: nchw32}}, Options{}).Memories[0])
	if first := written(got[30:34]); first != "270 279 1 10" || got[32].Edge != 1 || got[31].Edge != 0 {
		t.Errorf("nchw32 continues with %s after its first block", first)
	}
}
