package mention

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Passage is a part of a text that may complain: N bytes from byte At, an exception with what follows it or a line of a log.
type Passage struct {
	Text    string
	At, N   int
	Code    string // the user's line that raised it, "net.py:12: y = x.view(6)"; empty if the text has none
	IsTrace bool   // only a known message is looked for: what stands before an exception has calls whose names say contiguous
	IsOneOf bool   // of several exceptions: the tensors around it may be another's
}

// Limits of what is read of a text, in bytes and passages: they bound the time that an answer takes.
const MaxLog, MaxPassage, MaxAround, MaxLine, maxDate, MaxErrors, maxLogged = 256 << 10, 4 << 10, 64 << 10, 1 << 10, 16, 4, 16

// Words returns the passage with blanks folded, as a terminal may have wrapped it.
func (p Passage) Words() string { return Folded(p.Text[p.At:min(p.At+p.N, len(p.Text))]) }

// Around returns the passage with what stands before and after it.
func (p Passage) Around() string {
	from := max(0, p.At-MaxAround/2)
	return Folded(p.Text[from:min(from+MaxAround, len(p.Text))])
}

// layoutWords are the words of which every line of a log that complains about a layout has one.
var layoutWords = []string{"contiguous", "stride", "layout", "align", "divisible", "multiple", "reshape", "view", "shape", "channel", "dim", "format", "major",
	"overlap", "offset", "byte", "elements", "size", "tile", "feature", "shard", "copy("}

var (
	logPrefix  = lazy.Regexp(`^(?:\[[^\]]{1,40}\]:?|\([^)]{1,40}\)|[A-Z]{1,8}\d{0,4}|[\d:.,T/+-]{4,32}Z?|E|\|)\s+`)
	dated      = lazy.Regexp(`^\[?\d{4}-\d\d-\d\d[T ]|^[IWEFV]\d{4} `)
	errorName  = lazy.Regexp(`^(?:[\w.]*(?:Error|Exception|Warning|Fault|Failure|InvalidArgument)\b|Exception: |terminate called|thread '|error: )`)
	frameOf    = lazy.Regexp(`^File "([^"]+)", line (\d+)`)
	guardOf    = lazy.Regexp(`# (\S.*?) +# (\S+\.py:\d+) in `)
	recompiled = lazy.Regexp(`[Rr]ecompiling function (\w+) in (\S+:\d+)`)
)

// libraries are parts of the paths of code that is not the user's.
var libraries = []string{"site-packages", "dist-packages", "/lib/python", "/lib64/python", "<"}

// aside begins a line that describes a tensor of a complaint, and complains of nothing: "# x.shape (2, 3), x.stride() (3, 1)".
const aside = "# "

// lineKind is what a line of a traceback or log is.
type lineKind int

const (
	otherLine  lineKind = iota
	frameLine           // File "net.py", line 12, in forward
	codeLine            // the line after it
	testedLine          // pytest's >, before the line that fails
	errorLine           // an exception with its message
	layoutLine          // any that has a word of layouts
)

func kindOfLine(line string, afterFrame bool) lineKind {
	if strings.HasPrefix(line, "File \"") {
		return frameLine
	}
	if errorName.Get().MatchString(line) {
		return errorLine
	}
	if afterFrame {
		return codeLine
	}
	if strings.HasPrefix(line, "> ") {
		return testedLine
	}
	if strings.HasPrefix(line, aside) {
		return otherLine
	}
	low := strings.ToLower(line)
	if slices.ContainsFunc(layoutWords, func(word string) bool { return strings.Contains(low, word) }) {
		return layoutLine
	}
	return otherLine
}

// Passages returns the parts of a text that may complain, the most likely first: exceptions from the last one on, the beginning of the text,
// and lines of a log with what follows them.
func Passages(text string) []Passage {
	var raised, logged []Passage
	var code, frame string
	traced := false
	kind := otherLine
	start := max(0, len(text)-MaxLog)
	for line := range strings.Lines(text[start:]) {
		at := start
		start += len(line)
		if last := len(raised) - 1; last >= 0 && dated.Get().MatchString(line[:min(len(line), maxDate)]) { // a message ends where the log goes on
			raised[last].N = min(raised[last].N, at-raised[last].At)
		}
		line = withoutPrefix(line)
		kind = kindOfLine(line, kind == frameLine)
		switch kind {
		case frameLine:
			traced = true
			frame = userFrame(line)
		case codeLine:
			if frame != "" {
				code = frame + ": " + line
			}
		case testedLine:
			code = strings.TrimSpace(line[1:])
		case errorLine:
			raised = append(raised, Passage{Text: text, At: at, N: MaxPassage, Code: code})
			raised = raised[max(0, len(raised)-MaxErrors):]
		case layoutLine:
			code = cmp.Or(loggedCode(line), code)
			if len(logged) < maxLogged {
				logged = append(logged, Passage{Text: text, At: at, N: MaxLine, Code: code})
			}
		}
	}
	slices.Reverse(raised)
	isTrace := traced && len(raised) > 0
	for i := range logged {
		logged[i].IsTrace = isTrace
	}
	for i := range raised {
		raised[i].IsOneOf = len(raised) > 1
	}
	beginning := Passage{Text: text, N: MaxPassage, Code: code, IsTrace: isTrace}
	return slices.Concat(raised, []Passage{beginning}, logged)
}

// WithoutEscapes returns a text without what colors a terminal.
func WithoutEscapes(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = strings.TrimLeft(rest, "0123456789;")
		text = text[min(1, len(text)):]
	}
}

// Folded returns a text with each run of blanks as one.
func Folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// withoutPrefix returns a line without blanks around it and what loggers and pytest write before it, three times at most: a time, a level, a
// rank.
func withoutPrefix(line string) string {
	line = strings.TrimSpace(line[:min(len(line), MaxLine)])
	for range 3 {
		prefix := logPrefix.Get().FindString(line)
		if prefix == "" {
			break
		}
		line = line[len(prefix):]
	}
	return line
}

// userFrame returns the file's name and the line of a frame of a traceback; empty if a library has it.
func userFrame(line string) string {
	m := frameOf.Get().FindStringSubmatch(line)
	if m == nil || slices.ContainsFunc(libraries, func(part string) bool { return strings.Contains(m[1], part) }) {
		return ""
	}
	return baseOf(m[1]) + ":" + m[2]
}

// baseOf returns the name of a file without its folders, of any system.
func baseOf(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// loggedCode returns the user's line that a recompile report of torch.compile names; empty if the line of a log has none.
func loggedCode(line string) string {
	if m := guardOf.Get().FindStringSubmatch(line); m != nil {
		return baseOf(m[2]) + ": " + m[1]
	}
	if m := recompiled.Get().FindStringSubmatch(line); m != nil {
		return baseOf(m[2]) + ": " + m[1]
	}
	return ""
}
