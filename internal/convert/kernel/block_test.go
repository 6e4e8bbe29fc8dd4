package kernel

import (
	"maps"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
)

// blockOnce moves a few blocks of one shape, with arranged rows and columns, and compares each byte, including those around, with the plain
// loop's.
func blockOnce(t *testing.T, k *Kernels, rows, cols, size, turn int, srcArrangement, dstArrangement arrangement) string {
	t.Helper()
	srcRows, srcExtent := srcArrangement(rows, cols*size)
	dstRows, dstExtent := dstArrangement(cols, rows*size)
	jobs, gap := turn%3+1, []int{0, 64, 1, 13}[turn%4]
	if dstExtent%cacheLine != 0 && turn%2 == 0 {
		gap = cacheLine - dstExtent%cacheLine
	}
	m := move{srcRows: srcRows, dstRows: dstRows, size: size, stores: Stores(turn / 2 % 2), pad: []byte("the pad of a test")[:size]}
	if turn%5 == 4 && rows > 0 { // padding, in the last rows or anywhere
		m.srcRows[rows-1] = NoRow
		if turn%3 == 0 {
			m.srcRows[rows/2] = NoRow
		}
	}
	if turn%7 == 6 && cols > 2 { // columns that are not wanted
		m.dstRows[cols/2] = NoRow
		if turn%3 == 0 {
			m.dstRows[1] = NoRow
		}
	}
	for j := range jobs {
		m.jobs = append(m.jobs, Job{Dst: j * (dstExtent + gap), Src: j * (srcExtent + turn%7)})
	}
	_, m.src = at(jobs*(srcExtent+turn%7), turn%4*3)
	dstWhole, dst := at(jobs*(dstExtent+gap), turn%5/3*(turn%17))
	m.dst = dst
	b := k.NewBlock(m.srcRows, m.dstRows, size)
	m.check(t, dstWhole, func() {
		b.Run(worker, m.dst, m.src, m.jobs, m.pad, m.stores)
		k.Fence()
	})
	return b.Method()
}

var worker = new(Worker)

type arrangement = func(count, length int) (rows []int, extent int)

// TestBlock: every number of rows and columns equals the plain loop, in any arrangement, and nothing else is written; all methods are used.
func TestBlock(t *testing.T) {
	names := []string{"dense", "gaps", "lines", "descending", "shuffled"}
	eachLevel(t, func(t *testing.T, k *Kernels) {
		methods := map[string]int{}
		for _, size := range []int{1, 2, 4, 8, 16} {
			n, turn := 16/size, 0
			for _, rows := range upTo(n, 9) {
				for _, cols := range upTo(n, 2) {
					turn++
					src := arrangements[names[turn%5]]
					if turn%7 == 0 {
						src = repeated
					}
					methods[blockOnce(t, k, rows, cols, size, turn, src, arrangements[names[turn/5%5]])]++
					methods[blockOnce(t, k, rows, cols, size, turn/3, arrangements["dense"], arrangements["dense"])]++
				}
			}
		}
		for turn := range 40 { // of several destination rows in a line, of one vector's rows
			size := 1 << (turn % 4)
			methods[blockOnce(t, k, 16/size, 64/size+turn/4*4, size, turn, arrangements["gaps"], arrangements["dense"])]++
		}
		for _, s := range k.shapes {
			if methods[s.String()] == 0 {
				t.Errorf("no block is moved by %s: %v", s, methods)
			}
		}
		if k.width > 0 && methods["program"] == 0 || methods["elements"] == 0 {
			t.Errorf("methods %v", methods)
		}
	})
}

// TestArrangements: all pairs of arrangements, at sizes with remainders on both sides.
func TestArrangements(t *testing.T) {
	sources := maps.Clone(arrangements)
	sources["repeated"] = repeated
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for from, srcArrangement := range sources {
			for to, dstArrangement := range arrangements {
				t.Run(from+" to "+to, func(t *testing.T) {
					for _, size := range []int{1, 2, 4, 8, 16} {
						for turn := range 8 {
							blockOnce(t, k, 11*16/size+turn, 5*16/size+turn/2, size, turn, srcArrangement, dstArrangement)
						}
					}
				})
			}
		}
	})
}

// TestOverlap: rows that overlap by a part of an element, as a view's may, equal the plain loop.
func TestOverlap(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{2, 4, 8, 16} {
			for rows := range 9 {
				for cols := range 40 {
					blockOnce(t, k, rows+1, cols+1, size, rows+cols, overlapping, arrangements["dense"])
				}
			}
		}
	})
}

// TestPixels: few rows to one and back, of every number of pixels.
func TestPixels(t *testing.T) {
	names := []string{"dense", "gaps", "lines", "descending", "shuffled"}
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for count := range 37 {
				sizes := upTo(16/size, 9)
				if count%5 == 1 || count < 4 {
					sizes = append(sizes, 257, 523)
				}
				for turn, n := range sizes {
					planes := arrangements[names[(turn+count)%5]]
					blockOnce(t, k, count, n, size, turn+count, planes, arrangements["dense"])
					blockOnce(t, k, n, count, size, turn+count, arrangements["dense"], planes)
				}
			}
		}
	})
}

// TestAnywhere: adjacent destination rows that do not start with the job, and columns of which only one is wanted, equal the plain loop.
func TestAnywhere(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8} {
			for _, rows := range []int{3, 16 / size, 24, 64, 100} {
				for _, cols := range []int{16, 70, 200} {
					for _, first := range []int{0, 64, 7 * size, -1, -2} {
						srcRows, srcExtent := spaced(rows, cols*size, cols*size)
						dstRows, extent := spaced(cols, rows*size, rows*size)
						for i := range dstRows {
							dstRows[i] += max(0, first)
						}
						if first < 0 {
							only := dstRows[cols+first]
							dstRows = slices.Repeat([]int{NoRow}, cols)
							dstRows[cols+first] = only
						}
						for _, s := range []Stores{Cached, Streaming} {
							m := move{srcRows: srcRows, dstRows: dstRows, size: size, stores: s, jobs: []Job{{0, 0}}}
							_, m.src = at(srcExtent, 0)
							var whole []byte
							whole, m.dst = at(extent+64, 0)
							m.check(t, whole, func() {
								k.NewBlock(srcRows, dstRows, size).Run(worker, m.dst, m.src, m.jobs, nil, s)
								k.Fence()
							})
						}
					}
				}
			}
		}
	})
}

// TestStreaming: blocks with adjacent destination rows equal the plain loop at any offset in a line, and write nothing around; tiles and
// programs write whole lines of many blocks that start at one, and some blocks are staged or gathered.
func TestStreaming(t *testing.T) {
	pasts := random.Sample(ints.Range(cacheLine), 5)
	eachLevel(t, func(t *testing.T, k *Kernels) {
		tiles, programs, staged, gathered, turn := 0, 0, 0, 0, 0
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, rows := range []int{16 / size, 32 / size, 64 / size, 12, 3, 5, 51} {
				for _, bytes := range []int{64, 2112, 6100} {
					for _, past := range pasts {
						turn++
						b, m, whole := packed(k, rows, max(1, bytes/rows/size+past%5), size, past, past%11/10)
						switch method := b.method.(type) {
						case *grid:
							tiles += count(method.lines)
						case *program:
							programs += count(method.lines)
						case stage:
							staged++
						case gather:
							gathered++
						}
						m.check(t, whole, func() {
							b.Run(worker, m.dst, m.src, m.jobs, m.pad, Streaming)
							k.Fence()
						})
					}
				}
			}
		}
		if k.Streams() && (tiles < turn/10 || programs < turn/10 || staged < turn/50 || gathered < 10) {
			t.Errorf("of %d blocks, %d by tiles and %d by programs write lines, %d are staged, %d gathered", turn, tiles, programs, staged, gathered)
		}
	})
}

// count returns 1 if so.
func count(so bool) int {
	if so {
		return 1
	}
	return 0
}

// packed returns a block of three jobs, two of them adjacent; the first starts past bytes past a line. The last rows of the source are
// padding; some share sets of the first cache.
func packed(k *Kernels, rows, cols, size, past, padding int) (b *Block, m move, whole []byte) {
	stride := cols*size + past%2*size
	if past%3 == 2 {
		stride = max(stride, 1<<12)
	}
	srcRows, srcExtent := spaced(rows, cols*size, stride)
	for i := range padding {
		srcRows[rows-1-i] = NoRow
	}
	dstRows, extent := spaced(cols, rows*size, rows*size)
	m = move{srcRows: srcRows, dstRows: dstRows, size: size, pad: []byte("the pad of a test")[:size]}
	m.jobs = []Job{{0, 64}, {extent, 64 + srcExtent}, {2*extent + 64, 64 + 2*srcExtent}}
	_, m.src = at(3*srcExtent+128, past%3*size)
	whole, m.dst = at(3*extent+64, past)
	return k.NewBlock(srcRows, dstRows, size), m, whole
}

// TestUpToLast: tiles skip the second half of their columns only if none of it is written, wherever the others are.
func TestUpToLast(t *testing.T) {
	for want, rows := range [][]int{{NoRow, NoRow}, {0}, {NoRow, 64, NoRow, NoRow}, {0, NoRow, 8}, {0, NoRow, NoRow, 8, NoRow}} {
		if n := upToLast(rows); n != want {
			t.Errorf("%v: %d rows", rows, n)
		}
	}
}
