package trace

// Call is a step as it is written: a function with its arguments, or an index.
//
//	permute(0, 2, 3, 1)    Name "permute", Args 0 2 3 1
//	flip(axis=1)           Name "flip", Keywords axis: 1
//	[1:3, ..., None]       Name "[]", Args slice, ellipsis, none
//	T, contiguous          Name alone; "()" behind it changes nothing
type Call struct {
	Text     string // without blanks at its ends, safe to print
	Name     string
	Args     []Arg
	Keywords map[string]Arg
}

// Index is the Name of an index.
const Index = "[]"

// ArgKind says which field of an Arg counts.
type ArgKind int

// The kinds of arguments.
const (
	Int      ArgKind = iota // Int
	List                    // List: a tuple or a list
	Range                   // Start, Stop, Step: a slice
	Ellipsis                // ...
	None                    // None, newaxis
	Word                    // Word: channels_last, torch.channels_last without its prefix, True, 'C' without its quotes
)

// Arg is an argument of a call, or an entry of an index.
type Arg struct {
	Kind              ArgKind
	Int               int
	List              []Arg
	Start, Stop, Step *int // nil where left out
	Word              string
}
