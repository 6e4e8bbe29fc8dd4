package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// askedPlace is a place of the storage as the user names it: 7, or 28B for a byte.
type askedPlace struct {
	text  string
	n     int
	bytes bool
}

// placesFlag is a list of places; repeated, it goes on.
type placesFlag struct{ places []askedPlace }

func (f *placesFlag) String() string {
	texts := make([]string, len(f.places))
	for i, p := range f.places {
		texts[i] = p.text
	}
	return strings.Join(texts, ",")
}

func (f *placesFlag) Type() string { return "offsets" }

func (f *placesFlag) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		p := askedPlace{text: strings.TrimSpace(word)}
		number, unit := strings.CutSuffix(p.text, "B")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fault.New(fault.Usage, "%s is more than an address can count", fault.Quote(p.text)).
				WithHint("tlayout inspect shows which offsets are in use")
		case err != nil:
			return fault.New(fault.Usage, `"%s" is not an offset such as 7, or a byte such as 28B`, fault.Quote(p.text)).
				WithHint("offsets count elements, bytes end in B: --at 7,28B")
		}
		p.n, p.bytes = n, unit
		f.places = append(f.places, p)
	}
	return nil
}
