package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/picture"
)

// labels are what can stand in a cell, colourings what colours can mean besides the index of a dim.
var (
	labels     = []string{string(picture.Index), string(picture.Coord), string(picture.Value), string(picture.Offset), string(picture.Byte)}
	colourings = []string{string(picture.ByChannel), string(picture.ByMemory), string(picture.ByValue), string(picture.Plain)}
)

// noPath is how picture.NoPath is typed.
const noPath picture.Path = "none"

// labelsFlag is a list of what stands in a cell, one below the other.
type labelsFlag struct{ list []picture.Label }

func (f *labelsFlag) String() string { return strings.Join(labelNames(f.list), ",") }

func (f *labelsFlag) Type() string { return "labels" }

func (f *labelsFlag) Set(s string) error {
	f.list = nil
	for word := range strings.SplitSeq(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		switch l := picture.Label(word); {
		case !slices.Contains(labels, word):
			bad := fault.New(fault.Usage, `"%s": valid values are %s`, fault.Quote(word), strings.Join(labels, ", "))
			if near := fault.Nearest(word, labels); near != "" {
				return bad.WithHint("did you mean %s?", near)
			}
			return bad
		case slices.Contains(f.list, l):
			return fault.New(fault.Usage, "%s is asked for twice", word)
		default:
			f.list = append(f.list, l)
		}
	}
	return nil
}

func labelNames(list []picture.Label) []string {
	names := []string{}
	for _, l := range list {
		names = append(names, string(l))
	}
	return names
}
