package vector

// Paint is a colour by its purpose; each scheme has its own for it. Tint makes those of cells.
type Paint int

const (
	None   Paint = iota
	Ground       // behind everything
	Ink          // text, and lines as strong
	Quiet        // text beside the point
	Accent       // text of the best; a path
	Grid         // hair lines
	Bar          // of a chart
	Best         // a bar set off from the others
	Limit        // a line not to be crossed
	Edge         // a border between blocks
	Frame        // a cache line's frame
	Hatch        // stripes over padding
	firstTint
)

// Tint is the i-th tint of a drawing's Tints. Ink has a contrast of at least 4.5 to each.
func Tint(i int) Paint { return firstTint + Paint(i) }

// Tints are N colours for cells.
type Tints struct {
	Kind TintKind `json:"kind"`
	N    int      `json:"tints"`
}

// FewHues are each known by itself: a legend names them all, and no terminal shows two alike.
const FewHues = 12

// MostRamp is how many tints a ramp has at most, for eyes tell no more apart.
const MostRamp = 64

// TintKind is what neighbouring tints are to be: told apart, or seen to rise.
type TintKind int

const (
	Hues TintKind = iota // around the circle of hues: red, green, blue where N is 3
	Ramp                 // from little to much
)

// MarshalText is the kind's name in JSON.
func (k TintKind) MarshalText() ([]byte, error) {
	return []byte([...]string{Hues: "hues", Ramp: "ramp"}[k]), nil
}
