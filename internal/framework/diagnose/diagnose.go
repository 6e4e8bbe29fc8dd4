package diagnose

import (
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Message is a known message.
type Message struct {
	ID        string // in lower case, with dashes
	Framework string
	Text      string // an example, in the framework's words
	Reference string // the file with the words, and a version that prints them
	Live      bool   // the framework printed the example, which a test compares; others are quoted
}

// Answer is what a message means.
type Answer struct {
	Message Message
	What    string        // what happened, in one line
	Same    tensor.Answer // whether the existing memory is already the required memory
	Cost    string        // what the difference costs, or what the fix copies
	Facts   []string      // calculations with the message's numbers
	Fixes   []string      // code for the framework
	// Commands are tlayout commands that show more. FILE stands for a file of the user's.
	Commands []string
}

// rule recognizes a message and answers it; found are the submatches of its words in the text.
type rule struct {
	Message
	words  *lazy.Expression
	answer func(text string, found []string) Answer
}

// MaxText limits how much of a text is searched, in bytes: messages are short, and so are the tracebacks around them.
const MaxText = 1 << 20

// Read answers the first message of the table that the text contains; ok is false if it contains none. Line breaks, and ends of lines
// that a terminal wrapped, count as blanks.
func Read(text string) (Answer, bool) {
	text = strings.Join(strings.Fields(text[:min(len(text), MaxText)]), " ")
	for _, r := range table() {
		if found := r.words.Get().FindStringSubmatch(text); found != nil {
			a := r.answer(text, found)
			a.Message = r.Message
			return a, true
		}
	}
	return Answer{}, false
}

// Known returns the messages, in the order in which Read tries them.
func Known() []Message {
	var all []Message
	for _, r := range table() {
		all = append(all, r.Message)
	}
	return all
}

// table has the rules of all files, the first match counting.
//
// To add a message: a row in the table of its kind, in the framework's own words with the file that has them; if Debian's packages can print it, Live
// and its statement in testdata/messages.py. Each repair has a case in repairs.py beside it, which raises the message, runs the repair and checks what
// it says. A new table is listed here.
func table() []rule {
	var all []rule
	for _, rules := range [][]rule{strideRules, viewRules, channelRules, sizeRules, shapeRules, storageRules, kernelRules, memoryRules} {
		all = append(all, rules...)
	}
	return all
}

// always answers a message without numbers.
func always(a Answer) func(string, []string) Answer {
	return func(string, []string) Answer { return a }
}
