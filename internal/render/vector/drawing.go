package vector

// Drawing is a picture. Lengths are pixels from its top left corner, x to the right, y down.
type Drawing struct {
	Width, Height float64
	Title, Desc   string // its name, and what is to be seen, for those who do not see it
	Tints         Tints  // what Tint(i) stands for
	Marks         []Mark // later ones lie over earlier ones
}

// Mark is a part of a drawing: Rect, Line, Text or Group.
type Mark interface{ mark() }

// Rect is a rectangle. Where Hatch is not None, stripes of it lie over the Fill.
type Rect struct {
	X, Y, W, H, Radius float64
	Fill, Stroke       Paint
	StrokeWidth        float64 // 1 where it is 0
	Hatch              Paint
}

// Line joins points. It ends in an arrow's head where Arrow is set, and is dashed where Dashed is.
type Line struct {
	Points        []Point
	Stroke        Paint
	Width         float64 // 1 where it is 0
	Dashed, Arrow bool
}

// Point is a place in a drawing.
type Point struct{ X, Y float64 }

// Text is a line of words. Y is the middle of its height.
type Text struct {
	X, Y   float64
	Words  string
	Paint  Paint
	Size   float64 // of the font; 13 where it is 0
	Anchor Anchor
	Bold   bool
	Mono   bool // all characters equally wide: 0.6 of the size
}

// Anchor is what of a text lies at its X.
type Anchor int

const (
	Start Anchor = iota
	Middle
	End
)

// Group is marks that belong together. Title is what the pointer and screen readers say of them; it may be empty.
type Group struct {
	Title string
	Marks []Mark
}

func (Rect) mark()  {}
func (Line) mark()  {}
func (Text) mark()  {}
func (Group) mark() {}
