package scene

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
)

// What scenes look like: in colour and without, in ASCII, wide and narrow; rows and planes that do not fit are broken,
// rows left out are said, padding, shared places, cache lines and a path are marked and explained.
func TestSceneTextGolden(t *testing.T) {
	scenes := textScenes()
	unicode := TextOptions{Width: 80, Unicode: true}
	for name, c := range map[string]struct {
		scene string
		o     TextOptions
	}{
		"rgb_80":        {"rgb", unicode},
		"rgb_color":     {"rgb", TextOptions{Width: 80, Unicode: true, Color: true}},
		"rgb_truecolor": {"rgb", TextOptions{Width: 80, Unicode: true, Color: true, TrueColor: true}},
		"engine_40":     {"engine", TextOptions{Width: 40, Unicode: true}},
		"engine_80":     {"engine", unicode},
		"engine_200":    {"engine", TextOptions{Width: 200, Unicode: true}},
		"engine_ascii":  {"engine", TextOptions{Width: 80}},
		"letters_80":    {"letters", unicode},
		"letters_ascii": {"letters", TextOptions{Width: 80}},
		"path_80":       {"path", unicode},
		"path_ascii":    {"path", TextOptions{Width: 80}},
		"path_color":    {"path", TextOptions{Width: 80, Unicode: true, Color: true}},
	} {
		var got bytes.Buffer
		if err := scenes[c.scene].Text(&got, c.o); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "scene_text_"+name+".golden.txt"), got.Bytes())
	}
}

// ASCII is ASCII, and nothing is coloured without colour.
func TestSceneTextPlain(t *testing.T) {
	for name, scene := range textScenes() {
		var out bytes.Buffer
		if err := scene.Text(&out, TextOptions{Width: 80, TrueColor: true}); err != nil {
			t.Fatal(err)
		}
		for _, b := range out.Bytes() {
			if b != '\n' && (b < ' ' || b > '~') {
				t.Fatalf("%s: %q in\n%s", name, b, out.String())
			}
		}
	}
}
