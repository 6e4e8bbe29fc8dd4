package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
)

type inner struct {
	A string `json:"a"`
	B []int  `json:"b,omitempty"`
	C int    `json:"hidden"`
}

type Pointed struct {
	D *float64 `json:"d"`
	A string   `json:"a"`
}

type upper string

func (u upper) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(u))), nil }

type byPointer struct{ N int }

func (p *byPointer) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"n": [%d, 1]}`, p.N), nil
}

type minusOne int

func (m minusOne) IsZero() bool { return m == -1 }

type document struct {
	inner
	*Pointed  `json:"pointed"`
	C         bool            `json:"hidden"` // instead of inner's
	Any       any             `json:"any"`
	List      []inner         `json:"list"`
	Pointers  []*inner        `json:"pointers"`
	Array     [2]uint16       `json:"array"`
	Bytes     []byte          `json:"bytes"`
	Map       map[string]any  `json:"map"`
	Upper     []upper         `json:"upper"`
	Own       []byPointer     `json:"own"`
	Zero      struct{ X int } `json:"zero,omitzero"`
	Empty     *int            `json:"empty,omitempty"`
	Strict    struct{}        `json:"strict,omitempty"`
	Skipped   int             `json:"-"`
	None      minusOne        `json:"none,omitzero"`
	Some      minusOne        `json:"some,omitzero"`
	Untagged  int8
	unwritten int
}

// TestStream: a document is, byte for byte, what encoding/json writes, with characters escaped that a terminal would interpret.
func TestStream(t *testing.T) {
	x := 0.1
	in := inner{"\x1b[2J\u202e\u009b\x7f<é>\U000e0001", []int{1, 2}, 3}
	full := &document{inner: in, Pointed: &Pointed{&x, "p"}, C: true, Any: []any{nil, 1.5, "x", map[string]int{"z": 1, "a": 2}, in, &in, []inner{}},
		List: []inner{in, {}}, Pointers: []*inner{nil, &in}, Bytes: []byte("abc"), Map: map[string]any{"k": []int{}, "\x7f": nil},
		Upper: []upper{"a"}, Own: []byPointer{{1}, {2}}, None: -1, Untagged: -1, unwritten: 1}
	full.Zero.X = 1
	for i, v := range []any{full, *full, document{}, &document{}, []document{*full}, map[string]any{"a": full}, nil, 1, "x", []int(nil), []int{}, struct{}{},
		struct{ E []struct{} }{make([]struct{}, 3)}, (*document)(nil)} {
		for _, alone := range []bool{true, false} {
			var got, want bytes.Buffer
			if err := WriteJSON(&got, v, alone); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(false)
			if alone {
				enc.SetIndent("", "  ")
			}
			if err := enc.Encode(v); err != nil {
				t.Fatal(err)
			}
			if want := string(escapeControls(want.Bytes())); got.String() != want {
				t.Errorf("%d:\n%s\n%s expected", i, got.String(), want)
			}
		}
	}
	if err := WriteJSON(&bytes.Buffer{}, []any{func() {}}, true); err == nil {
		t.Error("a function has a JSON")
	}
}

// TestStreamMemory: a document of many long strings is not held in memory, and what is small is written at once.
func TestStreamMemory(t *testing.T) {
	var writes int
	var held uint64
	before := hostile.Live()
	count := writerFunc(func(p []byte) (int, error) {
		if writes++; writes%40 == 0 {
			now := hostile.Live()
			held = max(held, now-min(before, now))
		}
		return len(p), nil
	})
	long := strings.Repeat("\x1f", 10_000) // 60,000 bytes of JSON
	if err := WriteJSON(count, struct{ Names []inner }{repeated(inner{A: long}, 200)}, true); err != nil {
		t.Error(err)
	}
	if held > 2<<20 || writes < 80 {
		t.Errorf("%d bytes held, %d writes", held, writes)
	}
	writes = 0
	if err := WriteJSON(count, inner{}, true); err != nil || writes != 1 {
		t.Errorf("%d writes, %v", writes, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func repeated[T any](v T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}
