package ask

import (
	"strings"

	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/text"
)

// Reading is one meaning of a text, and the command that answers it.
type Reading struct {
	As      string   `json:"as"`      // a noun phrase: "a shape", "strides"
	Args    []string `json:"args"`    // of tlayout: inspect --shape 2,3,4
	Assumed string   `json:"assumed"` // what Args have and the text has not, a noun phrase: "the shape (2, 3, 4, 5)"; empty for nothing
	Sure    bool     `json:"-"`       // the text has no other meaning: a note on what it was read as would say nothing
}

// Line returns the command line of a reading, for a shell.
func (r Reading) Line() string {
	words := []string{"tlayout"}
	for _, arg := range r.Args {
		words = append(words, text.Shell(arg))
	}
	return strings.Join(words, " ")
}

// Readings returns what a text may be, the most likely first; none if it cannot be understood. The text is not the name of a file.
func Readings(s string) []Reading {
	s = strings.TrimSpace(s)
	for _, read := range []func(string) []Reading{readInts, readThreads, readPython, readQuestion, readKnownMessage, readTopic, readMessage, readName, readUnfollowed} {
		if all := read(s); all != nil {
			return all
		}
	}
	return nil
}

// IsPython reports whether a text is read as Python, whatever else it looks like: a type that a program printed is not.
func IsPython(s string) bool {
	s = strings.TrimSpace(s)
	return isUnfollowed(s) || readPython(s) != nil
}

// IsText reports whether an argument has blanks, as a pasted message has, or begins as what is pasted does.
func IsText(arg string) bool {
	return strings.ContainsAny(strings.TrimSpace(arg), " \t\n") || strings.HasPrefix(arg, "torch.Size(") || strings.HasPrefix(arg, "#")
}

// readThreads reads a printed layout of threads: #blocked = …, TiledCopy ….
func readThreads(s string) []Reading {
	if !threads.IsPrinted(s) {
		return nil
	}
	return []Reading{{As: "a layout of threads", Args: []string{"threads", s}, Sure: true}}
}

// readKnownMessage reads a complaint that why explains.
func readKnownMessage(s string) []Reading {
	_, explained := diagnose.Read(s)
	if !explained {
		return nil
	}
	return []Reading{message(s)}
}

// readMessage reads another text with sizes, strides or a layout in it, or a colon, as an error has: why describes what it finds.
func readMessage(s string) []Reading {
	if !IsText(s) {
		return nil
	}
	if diagnose.Found(s).What == "" && !strings.Contains(s, ": ") {
		return nil
	}
	return []Reading{message(s)}
}

func message(s string) Reading {
	return Reading{As: "an error message", Args: []string{"why", s}, Sure: true}
}

// readName reads the name of a layout, and not a word of English whose letters happen to be an order of dims: run, quit, stride.
func readName(s string) []Reading {
	s = strings.TrimRight(s, "?!")
	if IsText(s) {
		return nil
	}
	if _, err := printed.ParseName(s); err != nil {
		return nil
	}
	if !isImageOrder(s) && !isSpelled(s) {
		return nil
	}
	return []Reading{{As: "a layout", Args: []string{"formats", s}, Sure: true}}
}

// imageDims are the letters of the dims of images and their weights.
const imageDims = "ncdhwoig"

func isImageOrder(s string) bool { return strings.Trim(s, imageDims) == "" }

// isSpelled reports whether a name has what a word of English has not: capitals, digits, an underscore or a brace.
func isSpelled(s string) bool {
	return strings.ToLower(s) != s || strings.ContainsAny(s, "_{0123456789")
}
