package ask

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// fillers are the words of a question that do not change which layout it is about.
const fillers = " a about an and are array as batch be best between can change code compare convert converted converting conversion copy data define definition " +
	"did difference do does example explain explained explanation for format formats from give go have how i image images in input is it layout layouts like " +
	"look looks make me mean meaning means memory model my of one or order ordering permute please reorder reorganize reshape same shape should show stand stands stored " +
	"strides switch tensor tensors tell that the them this transform transpose turn understand us use vs versus want weight weights what whats when which " +
	"with work works you "

// directions are the words between the layout before a conversion and the one after.
const directions = " to into 2 -> => → "

// spelledNames are layouts as people write them in words; the others are found by joining words with _.
var spelledNames = map[string]string{
	"row major": "c", "c order": "c", "c contiguous": "c", "channels first": "nchw",
	"column major": "fortran", "col major": "fortran", "f order": "fortran", "fortran order": "fortran", "f contiguous": "fortran", "fortran contiguous": "fortran",
}

// maxNameWords is the number of words of the longest such name: channels last 3d.
const maxNameWords = 3

// maxQuestion limits the bytes of a question in words; longer texts are messages and logs.
const maxQuestion = 200

// question is what a text says about layouts.
type question struct {
	layouts   []string // names that notation reads, in the order of the text
	spelled   []string // the same as the text has them
	directed  bool     // the text says to which layout the first is converted
	framework string   // the framework it names; empty for none or several
	unknown   int      // words that are none of these
	sizes     []int    // a list of integers in the text, which is the shape
	names     int      // words that name layouts, each time
	misspelt  bool     // a word looks like the name of a layout, which is not known
	doubtful  bool     // a name that an English text may have by chance: c, f
}

// readQuestion reads a question all words of which are known: what is channels last, nchw to nhwc.
func readQuestion(s string) []Reading {
	q := ask(s)
	if q.unknown > 0 {
		return nil
	}
	return q.readings()
}

// readTopic reads a text with other words too, if it names a layout as no English text does and holds no sizes: load NHWC images quickly.
func readTopic(s string) []Reading {
	q := ask(s)
	if q.doubtful || strings.Contains(s, ": ") || diagnose.Found(s).What != "" {
		return nil
	}
	return q.readings()
}

// ask splits a text into names of layouts and other words.
func ask(s string) question {
	var q question
	isCommand := strings.HasPrefix(s, "tlayout ") || strings.Contains(s, " --")
	isWord := !IsText(s) && !strings.Contains(s, "-")
	if isCommand || isWord || len(s) > maxQuestion {
		return q
	}
	words := wordsOf(s)
	for len(words) > 0 {
		name, n := leadingName(words)
		if n == 0 {
			q.addWord(words[0])
			words = words[1:]
			continue
		}
		q.names++
		isDoubtful := n == 1 && !isDistinct(words[0])
		q.doubtful = q.doubtful || isDoubtful
		q.add(name, strings.Join(words[:n], " "))
		words = words[n:]
	}
	return q
}

// addWord adds a word that is no layout.
func (q *question) addWord(word string) {
	if isAmong(directions, word) {
		q.directed = q.directed || len(q.layouts) == 1
		return
	}
	if f := frameworkOf(word); f != "" {
		q.framework = f
		return
	}
	sizes, err := notation.ParseInts(word)
	if err == nil && len(sizes) > 1 {
		q.sizes = sizes
		return
	}
	if isLikeName(word) {
		q.misspelt = true
	}
	if !isAmong(fillers, word) {
		q.unknown++
	}
}

// wordsOf returns the words of a text without their punctuation; arrows are words, and lists of integers with blanks in them.
func wordsOf(s string) (words []string) {
	s = strings.NewReplacer(", ", ",", "->", " -> ", "=>", " => ", "→", " → ", "'s ", " ").Replace(s)
	for _, word := range strings.Fields(s) {
		word = strings.Trim(word, "?!.,;:\"'`()")
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

func isAmong(list, word string) bool { return strings.Contains(list, " "+strings.ToLower(word)+" ") }

// leadingName returns the layout that the first words name, and how many words it has; 0 if they name none.
func leadingName(words []string) (name string, n int) {
	for n = min(maxNameWords, len(words)); n > 0; n-- {
		joined := strings.ToLower(strings.Join(words[:n], " "))
		joined = strings.NewReplacer("-", " ", "_", " ").Replace(joined)
		if name := spelledNames[joined]; name != "" {
			return name, n
		}
		name := words[0]
		if n > 1 || strings.Contains(name, "-") {
			name = strings.ReplaceAll(joined, " ", "_")
		}
		if isFiller := n == 1 && (isAmong(fillers, name) || isAmong(directions, name)); isFiller {
			continue
		}
		_, err := printed.ParseName(name)
		if err == nil && isName(name) {
			return name, n
		}
	}
	return "", 0
}

// isName reports whether a name that notation reads is one that people say: an order of dims of images, or one with capitals, digits, _.
func isName(name string) bool { return len(name) > 1 && (isImageOrder(name) || isSpelled(name)) }

// isDistinct reports whether a word of a text is a layout for certain: the dims of images in some order, or channels_last.
func isDistinct(word string) bool {
	lower := strings.ToLower(word)
	return len(word) > 2 && isImageOrder(strings.TrimRight(lower, "0123456789c")) || strings.HasPrefix(lower, "channels")
}

// frameworkOf returns the name of the framework that a word names; empty for none.
func frameworkOf(word string) string {
	if strings.EqualFold(word, "torch") {
		return framework.PyTorch.Name
	}
	for _, f := range framework.All() {
		if strings.EqualFold(f.Name, word) {
			return f.Name
		}
	}
	return ""
}

// isLikeName reports whether a word is in capitals of dims with numbers, as names of layouts are.
func isLikeName(word string) bool {
	isOfDims := strings.Trim(word, "NCDHWOIGX0123456789") == ""
	return len(word) > 2 && isOfDims && strings.ContainsAny(word, "CHW")
}

// add adds a layout, once.
func (q *question) add(name, spelled string) {
	if slices.ContainsFunc(q.layouts, func(other string) bool { return strings.EqualFold(other, name) }) {
		return
	}
	q.layouts = append(q.layouts, name)
	q.spelled = append(q.spelled, spelled)
}

// readings returns the answers to a question: about one layout its names, about two a conversion, or their drawings side by side.
func (q question) readings() []Reading {
	if q.misspelt || q.names > 2 {
		return nil
	}
	switch len(q.layouts) {
	case 1:
		return q.aboutOne()
	case 2:
		return q.aboutTwo()
	}
	return nil
}

func (q question) aboutOne() []Reading {
	name := q.layouts[0]
	formats := Reading{As: "a question about " + q.spelled[0], Args: []string{"formats", name}}
	if q.framework != "" {
		formats.Args = append(formats.Args, "--framework", strings.ToLower(q.framework))
	}
	drawing, ok := q.drawn()
	if !ok {
		return []Reading{formats}
	}
	return []Reading{formats, drawing}
}

func (q question) aboutTwo() []Reading {
	from := q.layouts[0]
	to := q.layouts[1]
	drawing, ok := q.drawn()
	if !ok {
		return nil
	}
	plan := Reading{As: "a conversion from " + q.spelled[0] + " to " + q.spelled[1], Args: []string{"plan", "--shape", drawing.Args[2], "--from", from, "--to", to}, Assumed: drawing.Assumed}
	if q.directed {
		return []Reading{plan, drawing}
	}
	return []Reading{drawing, plan}
}

// drawn is the drawing of the layouts; ok is false if they have different dims.
func (q question) drawn() (r Reading, ok bool) {
	var sizes []int
	for _, name := range q.layouts {
		l, err := printed.ParseName(name)
		if err != nil {
			return r, false
		}
		some := smallSizes(l)
		if some == nil || sizes != nil && len(some) != len(sizes) {
			return r, false
		}
		sizes = some
	}
	if q.sizes != nil && len(q.sizes) != len(sizes) {
		return r, false
	}
	assumed := ""
	if q.sizes == nil {
		assumed = "the shape " + tensor.Tuple(sizes)
	} else {
		sizes = q.sizes
	}
	return Reading{As: "a picture of " + text.And(q.spelled), Args: []string{"draw", "--shape", text.Ints(sizes, ","), "--layouts", strings.Join(q.layouts, ",")},
		Assumed: assumed}, true
}

// smallSizes returns the shape of a tensor small enough to look at, which these layouts of images can have; nil for a layout with sizes of
// its own, or of another rank.
func smallSizes(l notation.Layout) []int {
	if l.Exact != nil || l.Sized != nil {
		return nil
	}
	rank := l.Format.Rank()
	if l.Own != 0 {
		rank = 2
	}
	return map[int][]int{2: {4, 6}, 3: {3, 4, 4}, 4: {1, 3, 4, 4}, 5: {1, 3, 2, 4, 4}}[rank]
}
