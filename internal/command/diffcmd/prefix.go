package diffcmd

import (
	"strings"

	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// dropPrefixes leaves out what all names of a side begin with, module. or _orig_mod., where more names are in both sides without it.
func (d *differ) dropPrefixes() {
	a, b := d.inputs[0], d.inputs[1]
	best := [2]string{}
	matched := namesInBoth(a.names, b.names, best)
	if matched == min(len(a.names), len(b.names)) {
		return
	}
	enough := (min(len(a.names), len(b.names)) + 1) / 2
	for _, ofA := range prefixesOf(a.names) {
		for _, ofB := range prefixesOf(b.names) {
			prefixes := [2]string{ofA, ofB}
			if n := namesInBoth(a.names, b.names, prefixes); n > matched && n >= enough {
				best = prefixes
				matched = n
			}
		}
	}
	for i, in := range d.inputs {
		in.dropPrefix(best[i])
		if best[i] != "" {
			d.notes = append(d.notes, "names of "+sideNames[i]+" begin with "+text.Quoted(text.Cut(best[i], 200)))
		}
	}
}

// maxPrefixes bounds the prefixes of a side that are tried: each is a step down a tree of modules.
const maxPrefixes = 8

// prefixesOf returns the prefixes that all names have, up to a separator, the shortest first: none, model_state. and model_state.module.
func prefixesOf(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	common := names[0]
	for _, name := range names {
		common = common[:commonPrefix([]byte(common), []byte(name))]
	}
	all := []string{""}
	for at := 0; len(all) <= maxPrefixes; {
		k := strings.IndexAny(common[at:], "./")
		if k < 0 {
			break
		}
		at += k + 1
		all = append(all, common[:at])
	}
	return all
}

// namesInBoth counts the names that both sides have without their prefixes.
func namesInBoth(a, b []string, prefixes [2]string) (n int) {
	inA := make(map[string]bool, len(a))
	for _, name := range a {
		inA[name[len(prefixes[0]):]] = true
	}
	for _, name := range b {
		if inA[name[len(prefixes[1]):]] {
			n++
		}
	}
	return n
}

// dropPrefix makes names those without a prefix that all have.
func (in *input) dropPrefix(prefix string) {
	sources := make(map[string]name.Name, len(in.names))
	for k, tensor := range in.names {
		in.names[k] = tensor[len(prefix):]
		sources[in.names[k]] = in.sources[tensor]
	}
	in.sources = sources
}
