package scene

// Two wires touch where one lies on the other or ends on it, so that they cannot be told apart: where they are nearer
// than this, in pixels. They may cross.
const (
	nearWire = 2.5
	nearEnd  = 4.0
)

// touches reports whether any leg of one wire touches one of the other's.
func (w wire) touches(v wire) bool {
	for i := range w.knots[1:] {
		for k := range v.knots[1:] {
			if touch(newLeg(w.knots[i], w.knots[i+1]), newLeg(v.knots[k], v.knots[k+1])) {
				return true
			}
		}
	}
	return false
}

// leg is a straight piece of a wire, across or down. Levels are counted from above: the tracks of a row, then its badges.
type leg struct {
	left, right float64
	top, bottom int
}

func newLeg(a, b knot) leg {
	return leg{min(a.x, b.x), max(a.x, b.x), min(a.level(), b.level()), max(a.level(), b.level())}
}

func (k knot) level() int { return k.row*(onBadge+1) + k.track }

func (l leg) across() bool { return l.top == l.bottom }

func touch(a, b leg) bool {
	switch {
	case !a.across() && b.across():
		return touch(b, a)
	case a.top > b.bottom || b.top > a.bottom:
		return false
	case b.across() || !a.across():
		near := nearWire
		if a.across() {
			near = nearEnd
		}
		return a.left < b.right+near && b.left < a.right+near
	}
	ends := func(x float64) bool { return x-nearWire < b.left && b.left < x+nearWire }
	return ends(a.left) || ends(a.right) || a.left < b.left && b.left < a.right && (a.top == b.top || a.top == b.bottom)
}
