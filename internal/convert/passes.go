package convert

import (
	"cmp"
	"slices"
)

// pass rewrites a nest of loops without changing what it copies.
type pass struct {
	name string
	run  func([]Loop) []Loop
}

// passes are each idempotent; their order matters.
var passes = []pass{{"drop", dropUnits}, {"sort", sortByDst}, {"fold", fold}}

func simplify(loops []Loop) []Loop {
	for _, pass := range passes {
		loops = pass.run(loops)
	}
	return loops
}

// dropUnits removes loops that run once.
func dropUnits(loops []Loop) []Loop {
	return slices.DeleteFunc(slices.Clone(loops), func(l Loop) bool { return l.N == 1 })
}

// sortByDst orders the loops so that the destination is written from low to high addresses.
func sortByDst(loops []Loop) []Loop {
	sorted := slices.Clone(loops)
	slices.SortStableFunc(sorted, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(b.Dst, a.Dst), cmp.Compare(b.Src, a.Src))
	})
	return sorted
}

// fold merges two loops where the outer one goes on where the inner one ends, in both layouts:
//
//	{a, n·s→n·d}{n, s→d} = {a·n, s→d}
func fold(loops []Loop) []Loop {
	var folded []Loop
	for _, inner := range loops {
		if n := len(folded); n > 0 {
			if outer := &folded[n-1]; outer.Src == inner.N*inner.Src && outer.Dst == inner.N*inner.Dst {
				*outer = Loop{outer.N * inner.N, inner.Src, inner.Dst}
				continue
			}
		}
		folded = append(folded, inner)
	}
	return folded
}
