package tensor

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRandomLayouts evaluates every definition on layouts that nobody chose, of up to three digits per dim.
func TestRandomLayouts(t *testing.T) {
	for what, define := range layoutDefinitions {
		t.Run(what, rapid.MakeCheck(func(t *rapid.T) {
			d := rapidDice{t}
			dims := someDims(d, 200)
			l, err := New(dims, between(d, -5, 30), Unbounded)
			if err != nil {
				t.Fatal(err)
			}
			if d.IntN(3) == 0 {
				if l, err = New(dims, l.Offset(), d.IntN(300)); err != nil {
					t.Fatal(err)
				}
			}
			define(t, l)
		}))
	}
}

// TestRandomStrided evaluates every definition on strided tensors, some with negative strides.
func TestRandomStrided(t *testing.T) {
	for what, define := range stridedDefinitions {
		t.Run(what, rapid.MakeCheck(func(t *rapid.T) {
			d := rapidDice{t}
			define(t, someStrided(d, 200, pick(d, 0, 0, -8)))
		}))
	}
}
