package convert

import "slices"

// Part is the indices of a dim that a box holds, where it does not hold all: From to To-1, the same in each period of
// Every indices where Every is not 0.
type Part struct {
	Dim      string
	From, To int
	Every    int
	Rest     bool // what whole blocks or periods leave
}

// namedPart is one of the parts that splitDim makes, its loops named.
type namedPart struct {
	loops []NamedLoop
	held  Part
}

// nameParts names the loops of a dim's parts: those of splitNested, or else of splitPeriodic.
func nameParts(dim string, parts []Box, nested bool) []namedPart {
	named := make([]namedPart, len(parts))
	switch {
	case len(parts) == 0: // an empty dim
	case nested:
		nameNested(dim, parts, named)
	default:
		namePeriodic(dim, parts, named)
	}
	if len(named) == 1 {
		named[0].held = Part{}
	}
	return named
}

// nameNested names parts that lie one behind the other, of loops that each count what the inner ones make together.
func nameNested(dim string, parts []Box, named []namedPart) {
	start := 0
	for i, b := range parts {
		n := elemsOf(b.Loops)
		named[i].held = Part{Dim: dim, From: start, To: start + n, Rest: i > 0}
		start += n
		for j, l := range b.Loops {
			d := Digit{Dim: dim, Div: elemsOf(b.Loops[j+1:])}
			if j > 0 {
				d.Mod = l.N
			}
			named[i].loops = append(named[i].loops, NamedLoop{l, []Digit{d}})
		}
	}
}

// namePeriodic names the parts of a period, of two loops each, and those of the rest after the last one.
func namePeriodic(dim string, parts []Box, named []namedPart) {
	period := 0
	for _, b := range parts {
		if len(b.Loops) == 2 {
			period += b.Loops[1].N
		}
	}
	start, periods := 0, parts[0].Loops[0].N
	for i, b := range parts {
		n := b.Loops[len(b.Loops)-1].N
		p := Part{Dim: dim, From: start, To: start + n, Every: period}
		start += n
		run := Digit{dim, 1, period}
		if len(b.Loops) == 1 {
			p = Part{Dim: dim, From: p.From + (periods-1)*period, To: p.To + (periods-1)*period, Rest: true}
			run.Mod = 0
		} else {
			named[i].loops = []NamedLoop{{b.Loops[0], []Digit{{Dim: dim, Div: period}}}}
		}
		if periods == 1 {
			p.Every, run.Mod = 0, 0
		}
		named[i].loops = append(named[i].loops, NamedLoop{b.Loops[len(b.Loops)-1], []Digit{run}})
		named[i].held = p
	}
}

func bare(named []NamedLoop) []Loop {
	loops := make([]Loop, len(named))
	for i, l := range named {
		loops[i] = l.Loop
	}
	return loops
}

// renamed gives the loops that a pass left the names of those that it was given. A loop that runs more than once is
// found by its steps, for no other has the same in the destination. Where it runs more often than before, the loops
// around it were folded into it.
func renamed(before []NamedLoop, after []Loop) []NamedLoop {
	named := make([]NamedLoop, len(after))
	for i, l := range after {
		at := slices.IndexFunc(before, func(b NamedLoop) bool { return b.N > 1 && b.Src == l.Src && b.Dst == l.Dst })
		named[i] = NamedLoop{l, before[at].Digits}
		for n := before[at].N; n < l.N; n *= before[at].N {
			at--
			named[i].Digits = slices.Concat(before[at].Digits, named[i].Digits)
		}
	}
	return named
}
