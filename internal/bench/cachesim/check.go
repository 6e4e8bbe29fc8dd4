package cachesim

import "github.com/tlayout/tlayout/internal/fault"

// check fails with Usage where there is no such cache, or none that lines move through as they are.
func (g Geometry) check() error {
	line := g.Levels[0].Line
	for _, l := range append(g.Levels[:len(g.Levels):len(g.Levels)], g.TLB) {
		if err := l.check(); err != nil {
			return err
		}
		if l.Name != "tlb" && l.Line != line {
			return fault.New(fault.Usage, "cache level %s has lines of %s bytes, %s of %s", l.Name, bytesText(l.Line),
				g.Levels[0].Name, bytesText(line)).
				WithHint("give all levels lines of one size: l1=48K,12,64 l2=2M,16,64 l3=32M,16,64")
		}
	}
	if g.TLB.Line < line {
		return fault.New(fault.Usage, "cache level tlb has pages of %d bytes, less than a line", g.TLB.Line).
			WithHint("a page is larger than a line: tlb=256K,4,4K")
	}
	return nil
}

func (l Level) check() error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Usage, "cache level "+l.Name+" "+format, args...).
			WithHint("write size, ways and line: %s", example)
	}
	switch {
	case l.Line < 8 || l.Line&(l.Line-1) != 0:
		return wrong("has lines of %d bytes, not a power of two from 8 on", l.Line)
	case l.Ways < 1 || l.Ways > maxWays:
		return wrong("has %d ways, not 1 to %d", l.Ways, maxWays)
	case uint64(l.Size) > maxSize || l.Size/l.Line > maxLines:
		return wrong("is larger than can be simulated: %s bytes", bytesText(l.Size))
	case l.Size < 1 || uint64(l.Size)%(uint64(l.Ways)*uint64(l.Line)) != 0:
		return wrong("has %s bytes, not a multiple of %d ways · %d bytes of a line", bytesText(l.Size), l.Ways, l.Line)
	}
	return nil
}
