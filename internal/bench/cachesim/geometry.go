package cachesim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Level is one cache: sets of Ways lines each. Line n, which starts at byte n·Line, belongs to set n mod Sets.
type Level struct {
	Name string // l1, l2, l3 or tlb
	Size int    // bytes; for the tlb, of the mapped pages
	Ways int    // lines in a set
	Line int    // bytes, a power of two; for the tlb, a page
}

// Sets returns Size / (Ways·Line), not necessarily a power of two.
func (l Level) Sets() int { return l.Size / (l.Ways * l.Line) }

// Geometry is a cache hierarchy with one line size, and a TLB.
type Geometry struct {
	Levels []Level // nearest first; at least one
	TLB    Level
}

// Reference is a typical server core of 2023, with a TLB of 64 entries.
var Reference = Geometry{
	Levels: []Level{
		{Name: "l1", Size: 48 << 10, Ways: 12, Line: 64}, {Name: "l2", Size: 2 << 20, Ways: 16, Line: 64},
		{Name: "l3", Size: 32 << 20, Ways: 16, Line: 64},
	},
	TLB: Level{Name: "tlb", Size: 256 << 10, Ways: 4, Line: 4 << 10},
}

// names lists the possible levels, nearest first, and the TLB.
var names = []string{"l1", "l2", "l3", "tlb"}

// String names every level; Parse is its inverse:
//
//	l1=48K,12,64 l2=2M,16,64 l3=none tlb=256K,4,4K
func (g Geometry) String() string {
	var entries []string
	for i, name := range names[:3] {
		if i < len(g.Levels) {
			entries = append(entries, g.Levels[i].String())
		} else {
			entries = append(entries, name+"=none")
		}
	}
	return strings.Join(append(entries, g.TLB.String()), " ")
}

func (l Level) String() string {
	return fmt.Sprintf("%s=%s,%d,%s", l.Name, bytesText(l.Size), l.Ways, bytesText(l.Line))
}

// units of bytes, largest first.
var units = []struct {
	suffix string
	bits   int
}{{"G", 30}, {"M", 20}, {"K", 10}, {"", 0}}

// bytesText returns n in the largest unit that divides it: 48K, 2M, 100.
func bytesText(n int) string {
	for _, u := range units {
		if n>>u.bits > 0 && n>>u.bits<<u.bits == n {
			return fmt.Sprint(n>>u.bits, u.suffix)
		}
	}
	return "0"
}

// Limits of a level, which bound the memory and time of its model.
const (
	maxSize  = 1 << 40 // bytes
	maxLines = 1 << 25
	maxWays  = 1 << 10
)

// example is for hints.
const example = "l1=48K,12,64"

// Parse reads levels as name=size,ways,line, or name=none for an absent level:
//
//	l1=48K,12,64 l2=2M,16,64 l3=none tlb=256K,4,4K
//
// Blanks, commas and semicolons separate. A level that is not named is that of Reference. Parse fails with Usage.
func Parse(s string) (Geometry, error) {
	given, err := entries(s)
	if err != nil {
		return Geometry{}, err
	}
	g, err := given.geometry()
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return Geometry{}, err
	}
	return g, nil
}

// fields holds the words after each name.
type fields map[string][]string

func entries(s string) (fields, error) {
	given := fields{}
	last := ""
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }) {
		name, value, named := strings.Cut(word, "=")
		if !named {
			name = last
			value = word
		}
		name = strings.ToLower(name)
		if !slices.Contains(names, name) {
			return nil, unknown(name, word)
		}
		if _, twice := given[name]; twice && named {
			return nil, fault.New(fault.Usage, "cache geometry has %s twice", name).WithHint("name each level once: %s", example)
		}
		given[name] = append(given[name], value)
		last = name
	}
	return given, nil
}

func unknown(name, word string) error {
	if name == "" {
		return fault.New(fault.Usage, "cache geometry has %s before any level name", text.Quoted(word)).
			WithHint("write level=size,ways,line: %s", example)
	}
	err := fault.New(fault.Usage, "unknown cache level %s", text.Quoted(name))
	if near := text.Nearest(name, names); near != "" {
		return err.WithHint("did you mean %s? write level=size,ways,line: %s", near, example)
	}
	return err.WithHint("levels are %s: %s", strings.Join(names, ", "), example)
}

// geometry converts fields, without checking sizes.
func (f fields) geometry() (g Geometry, err error) {
	for i, name := range names {
		level, err := f.level(name, i)
		if err != nil {
			return g, err
		}
		if name == "tlb" {
			g.TLB = level
			continue
		}
		if absent := level == (Level{}); absent {
			continue
		}
		if len(g.Levels) < i {
			return g, fault.New(fault.Usage, "cache geometry has %s but no %s", name, names[len(g.Levels)]).
				WithHint("omit the outer levels: %s l2=none l3=none", example)
		}
		g.Levels = append(g.Levels, level)
	}
	return g, nil
}

// level returns the level of names[i], or Level{} if absent.
func (f fields) level(name string, i int) (Level, error) {
	listed, given := f[name]
	none := len(listed) == 1 && (listed[0] == "0" || listed[0] == "none")
	if !given {
		return append(Reference.Levels[:3:3], Reference.TLB)[i], nil
	}
	if none && (name == "l1" || name == "tlb") {
		return Level{}, fault.New(fault.Usage, "cache geometry needs %s", name).
			WithHint("only l2 and l3 may be omitted: l3=none")
	}
	if none {
		return Level{}, nil
	}
	var n [3]int
	ok := len(listed) == len(n)
	for j := 0; ok && j < len(n); j++ {
		n[j], ok = bytesOf(listed[j])
	}
	if !ok {
		return Level{}, fault.New(fault.Usage, "cache level %s is %s, want size,ways,line", name,
			text.Quoted(strings.Join(listed, ","))).WithHint("write sizes in bytes, K, M or G: %s", example)
	}
	return Level{Name: name, Size: n[0], Ways: n[1], Line: n[2]}, nil
}

// bytesOf parses 64, 48K, 48KiB; ok is false if s is something else or overflows an int.
func bytesOf(s string) (n int, ok bool) {
	digits := strings.ToUpper(s)
	bits := 0
	for _, u := range units {
		if cut, found := strings.CutSuffix(strings.TrimSuffix(digits, "IB"), u.suffix); found && u.suffix != "" {
			digits = cut
			bits = u.bits
			break
		}
	}
	v, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || v > math.MaxInt>>bits {
		return 0, false
	}
	return int(v) << bits, true
}

// check fails with Usage if a level is impossible, or levels have different line sizes.
func (g Geometry) check() error {
	line := g.Levels[0].Line
	for _, l := range append(g.Levels[:len(g.Levels):len(g.Levels)], g.TLB) {
		if err := l.check(); err != nil {
			return err
		}
		if l.Name != "tlb" && l.Line != line {
			return fault.New(fault.Usage, "cache level %s has lines of %s bytes, but %s has %s", l.Name, bytesText(l.Line),
				g.Levels[0].Name, bytesText(line)).
				WithHint("give all levels the same line size: l1=48K,12,64 l2=2M,16,64 l3=32M,16,64")
		}
	}
	if g.TLB.Line < line {
		return fault.New(fault.Usage, "cache level tlb has pages of %d bytes, less than a line", g.TLB.Line).
			WithHint("make a page at least as large as a line: tlb=256K,4,4K")
	}
	return nil
}

func (l Level) check() error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Usage, "cache level "+l.Name+" "+format, args...).
			WithHint("write size, ways and line: %s", example)
	}
	if l.Line < 8 || l.Line&(l.Line-1) != 0 {
		return wrong("has lines of %d bytes, want a power of two, at least 8", l.Line)
	}
	if l.Ways < 1 || l.Ways > maxWays {
		return wrong("has %d ways, want 1 to %d", l.Ways, maxWays)
	}
	if uint64(l.Size) > maxSize || l.Size/l.Line > maxLines {
		return wrong("is too large to simulate: %s bytes", bytesText(l.Size))
	}
	if l.Size < 1 || uint64(l.Size)%(uint64(l.Ways)*uint64(l.Line)) != 0 {
		return wrong("has %s bytes, want a positive multiple of %d ways × %d bytes per line", bytesText(l.Size), l.Ways, l.Line)
	}
	return nil
}
