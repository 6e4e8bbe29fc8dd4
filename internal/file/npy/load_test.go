package npy_test

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/framework"
)

// TestLoadLimit: np.load refuses a header of more characters than NumPy.MaxHeader, and no other. A character of UTF-8 counts
// once, however many bytes it has.
func TestLoadLimit(t *testing.T) {
	type file struct {
		major byte
		name  string // of the one field
		chars int
	}
	var files []file
	for _, chars := range []int{framework.NumPy.MaxHeader - 1, framework.NumPy.MaxHeader, framework.NumPy.MaxHeader + 1, 20058} {
		files = append(files, file{1, "a", chars}, file{1, "\xe9", chars}, file{2, "a", chars}, file{3, "数数数", chars})
	}
	var questions []question
	for _, f := range files {
		text := strings.TrimSpace(dict("[('"+f.name+"', '<f4')]", "(2,)"))
		text += strings.Repeat(" ", f.chars-characters(f.major, text))
		questions = append(questions, question{Op: "header", File: headerFile(f.major, 0, text, 64)})
	}
	answers := askNumPy(t, questions)
	for i, f := range files {
		h, err := read(questions[i].File)
		if err != nil || h.Chars != f.chars || answers[i].OK != (h.Chars <= framework.NumPy.MaxHeader) {
			t.Errorf("version %d, %d characters: Chars is %d (%v), NumPy reads it: %v %s", f.major, f.chars, h.Chars, err, answers[i].OK, answers[i].Error)
		}
	}
}

// characters counts what NumPy decodes: bytes before version 3, code points of UTF-8 then.
func characters(major byte, text string) int {
	if major < 3 {
		return len(text)
	}
	return len([]rune(text))
}

// TestPython2: an integer such as 3L is Python 2's in versions 1 and 2, and an error in version 3, as in NumPy; Header says
// that there was one.
func TestPython2(t *testing.T) {
	for _, c := range []struct {
		major byte
		shape string
		ok    bool
		old   bool
	}{{1, "(2L, 3L)", true, true}, {2, "(2, 3L)", true, true}, {1, "(2, 3)", true, false}, {3, "(2, 3)", true, false}, {3, "(2L, 3L)", false, false}} {
		file := headerFile(c.major, 0, dict("'<f4'", c.shape), 64)
		h, err := read(file)
		answer := askNumPy(t, []question{{Op: "header", File: file}})[0]
		if (err == nil) != c.ok || answer.OK != c.ok || h.Python2 != c.old {
			t.Errorf("version %d, %s: %v, Python2 is %v; NumPy reads it: %v %s", c.major, c.shape, err, h.Python2, answer.OK, answer.Error)
		}
	}
}
