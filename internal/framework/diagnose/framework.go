package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A framework is whose message it is, with the language in which its users repair a tensor.
type framework struct {
	name     string
	words    []string
	language block
}

var frameworkBlocks = sync.OnceValue(func() []block { return blocksOf(frameworkTable) })

func languageNamed(name string) block {
	for _, b := range frameworkBlocks() {
		if b.is == "language" && b.name == name {
			return b
		}
	}
	return block{name: name}
}

var frameworks = sync.OnceValue(func() (all []framework) {
	for _, b := range frameworkBlocks() {
		if b.is == "framework" {
			all = append(all, framework{b.name, b.words("words"), languageNamed(cmp.Or(b.field("writes"), "PyTorch"))})
		}
	}
	return all
})

// frameworkOf returns whose message a text is, by its words, and if it has none, by those of the text around it. One that no word names
// has PyTorch's language, which is assumed.
func frameworkOf(texts ...string) framework {
	for _, s := range texts {
		for _, f := range frameworks() {
			if slices.ContainsFunc(f.words, func(word string) bool { return hasWord(s, word) }) {
				return f
			}
		}
	}
	return framework{language: languageNamed("PyTorch")}
}

// frameworkNamed returns a framework by its name, or the language of that name.
func frameworkNamed(name string) framework {
	of := cmp.Or(map[string]string{"Python": "NumPy", "XLA": "JAX"}[name], name)
	for _, f := range frameworks() {
		if f.name == of {
			f.name = name
			return f
		}
	}
	return framework{name: name, language: languageNamed(of)}
}

// hasWord reports whether a text has a word that no letter precedes: cute is not in execute.
func hasWord(s, word string) bool {
	for {
		at := strings.Index(s, word)
		if at < 0 {
			return false
		}
		if at == 0 || !isLetter(s[at-1]) {
			return true
		}
		s = s[at+len(word):]
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
