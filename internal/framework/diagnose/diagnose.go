package diagnose

import (
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Message is a message that is known by its words.
type Message struct {
	ID        string // in lower case, with dashes
	Framework string
	Text      string // an example, in the framework's words
	Reference string // the file with the words, and a version that prints them
	Live      bool   // the framework printed the example, which a test compares; others are quoted
}

// Kind is what complaints of many frameworks have in common, whatever their words.
type Kind struct {
	ID      string // "contiguous"
	Title   string // what is complained about
	Example string // a message of this kind
}

// Answer is what a complaint means.
type Answer struct {
	Message   Message       // without an ID if only its kind is known
	Kind      Kind          // without an ID if the message is known
	Framework string        // whose message it is; empty if no word says it
	Code      string        // the user's line that raised it, "net.py:12: y = x.view(6)"; empty if the text has none
	What      string        // what happened, in one line
	Same      tensor.Answer // whether the existing memory is already the required memory
	Cost      string        // what the difference costs, or what the fix copies
	Facts     []string      // calculations with the message's numbers, and what does not help
	Fixes     []string      // code for the framework
	Language  string        // of the fixes, as users call it: "PyTorch"
	Markdown  string        // of the fixes, as Markdown calls it: "python"
	// Commands are tlayout commands that show more. FILE stands for a file of the user's.
	Commands []string
}

// MaxText limits a text, in bytes: messages are short, and so are the tracebacks around them.
const MaxText = 1 << 20

// rule recognizes what a text says, and answers it.
type rule struct {
	Message
	match *lazy.Expression // nil matches any text
	says  map[string]string
	block
}

// kind has the rules of a kind, and words in lower case of which a text of this kind has one.
type kind struct {
	Kind
	words []string
	rules []rule
}

// known are the messages and the kinds of complaints.txt, in its order.
var known = sync.OnceValue(func() (k struct {
	messages []rule
	kinds    []kind
}) {
	for _, b := range blocksOf(complaintTable) {
		r := rule{Message: Message{b.name, b.field("framework"), b.field("text"), b.field("from"), b.field("live") != ""}, says: map[string]string{}, block: b}
		if s := b.field("if"); s != "" {
			r.match = lazy.Regexp(pattern(s))
		}
		for _, pair := range b.words("says") {
			name, value, _ := strings.Cut(pair, "=")
			r.says[name] = value
		}
		switch b.is {
		case "message":
			k.messages = append(k.messages, r)
		case "kind":
			k.kinds = append(k.kinds, kind{Kind: Kind{b.name, b.field("title"), b.field("example")}, words: b.words("words")})
		default:
			last := &k.kinds[len(k.kinds)-1]
			last.rules = append(last.rules, r)
		}
	}
	return k
})

// Known returns the messages that are known by their words, in the order in which Read tries them.
func Known() (all []Message) {
	for _, r := range known().messages {
		all = append(all, r.Message)
	}
	return all
}

// Kinds returns the kinds of complaints, in the order in which Read tries them.
func Kinds() (all []Kind) {
	for _, k := range known().kinds {
		all = append(all, k.Kind)
	}
	return all
}

// Read answers the complaint of a text, a message with or without the traceback or log that it is in. ok is false if there is none.
// A message that is known by its words wins; any other is answered by its kind.
func Read(pasted string) (a Answer, ok bool) {
	pasted = mention.WithoutEscapes(pasted[:min(len(pasted), MaxText)])
	for _, p := range append(mention.Passages(pasted), inTheMiddle(pasted[:max(0, len(pasted)-mention.MaxLog)])...) {
		words := p.Words()
		a, ok = readMessage(p, words)
		if !ok && !p.IsTrace {
			a, ok = readKind(p, words)
		}
		if ok {
			a.Code = text.Quote(text.Cut(p.Code, maxCode))
			return a, true
		}
	}
	return Answer{}, false
}

// maxCode limits a quoted line, in bytes.
const maxCode = 160

// readMessage answers the first message whose words a passage has.
func readMessage(p mention.Passage, words string) (Answer, bool) {
	for _, r := range known().messages {
		if !strings.Contains(words, r.match.Needle()) || !r.match.Get().MatchString(words) {
			continue
		}
		c := newComplaint(words, p.Around())
		c.framework = frameworkNamed(r.Framework)
		a, ok := c.answer(r)
		a.Message = r.Message
		return a, ok
	}
	return Answer{}, false
}

// readKind answers the first kind that a passage has a word of, by its first rule that takes it.
func readKind(p mention.Passage, words string) (Answer, bool) {
	low := strings.ToLower(words)
	var c *complaint
	for _, k := range known().kinds {
		if !containsAny(low, k.words) {
			continue
		}
		if c == nil && p.IsOneOf {
			c = newComplaint(words, words)
		}
		if c == nil {
			c = newComplaint(words, p.Around())
		}
		if !c.isAboutTensors(low) {
			return Answer{}, false
		}
		for _, r := range k.rules {
			a, ok := c.answer(r)
			if ok {
				a.Kind = k.Kind
				return a, true
			}
		}
	}
	return Answer{}, false
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// inTheMiddle returns where a long text has the words of a known message before its last lines.
func inTheMiddle(text string) (found []mention.Passage) {
	for _, r := range known().messages {
		at := strings.Index(text, r.match.Needle())
		if text != "" && at >= 0 && len(found) < mention.MaxErrors {
			found = append(found, mention.Passage{Text: text, At: max(0, at-mention.MaxLine), N: mention.MaxPassage, IsTrace: true})
		}
	}
	return found
}
