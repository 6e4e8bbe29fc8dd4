package descriptor

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// matcher compares the strides of a tile with the canonical layout of a mode, and keeps the first difference.
type matcher struct {
	mode
	unit int    // T: elements of 16 bytes
	why  string // empty: none so far
}

func (c *matcher) check(holds bool, format string, args ...any) {
	if !holds && c.why == "" {
		c.why = fmt.Sprintf(format, args...)
	}
}

// maxMN is the largest M or N of an instruction.
const maxMN = 256

// kMajor returns the free strides of the mode's K-major layout, in elements, and the indices of mn for which they hold.
func (c *matcher) kMajor(mn, k tensor.Dim) (lbo, sbo, extent int) {
	c.check(c.k != "", "%s is for MN-major operands only", c.sm100.Name)
	rows, cols := c.walk(mn, 8), c.walk(k, 2*c.unit)
	rows.take(8, c.width*c.unit)
	cols.take(c.unit, 1)
	sbo, extent = rows.rest()
	if c.plain() {
		return cols.next(2), sbo, extent
	}
	cols.take(2, c.unit)
	return c.unit, sbo, extent
}

// mnMajor is kMajor for the mode's MN-major layout. An instruction reads 32 bytes along K in any case.
func (c *matcher) mnMajor(mn, k tensor.Dim) (lbo, sbo, extent int) {
	// SM100_MMA_MXF4_SS of mma_traits_sm100.hpp; sm100_smem_selector of cutlass/gemm/collective/builders/sm100_common.inl
	c.check(c.unit < 32, "operands of 4 bits are K-major")
	c.check(c.unit > 4 || c.rows == 4, "MN-major operands of 32 bits need SWIZZLE_128B_BASE32B")
	rows, cols := c.walk(mn, c.width*c.unit), c.walk(k, 2*c.unit)
	rows.take(c.unit, 1)
	rows.take(c.width, c.unit)
	cols.take(c.rows, c.width*c.unit)
	sbo = cols.next(2 * c.unit / c.rows)
	lbo, extent = rows.rest()
	if c.plain() {
		lbo, sbo = sbo, lbo
	}
	return lbo, sbo, extent
}

// encode returns a stride as encoded, in units of 16 bytes and 14 bits.
func (c *matcher) encode(name string, stride int) int {
	units := stride / c.unit
	fits := stride%c.unit == 0 && units >= 0 && units < 1<<14
	c.check(fits, "%s is %d elements, not a multiple of %d that fits 14 bits", name, stride, c.unit)
	return units
}

// walk reads the index of a dim in mixed radix, the least significant digit first.
type walk struct {
	*matcher
	dim tensor.Dim
	div int // of the next digit
}

// walk starts with a dim whose size must be a positive multiple of n.
func (c *matcher) walk(d tensor.Dim, n int) *walk {
	c.check(d.Size > 0 && d.Size%n == 0, "%s is %d, not a multiple of %d", d.Name, d.Size, n)
	return &walk{c, d, 1}
}

// steps returns the stride of the next digit, 0 if the index ends, and for how many of its values, at most n, it holds.
func (w *walk) steps(n int) (stride, values int) {
	values = min(n, w.dim.Size/w.div)
	if values < 2 {
		return 0, 1
	}
	stride = w.dim.At(w.div)
	w.check(stride != 0, "%s has stride 0", w.digit(values))
	for i := range values * w.div { // all indices, for a digit of the dim may end inside
		if w.dim.At(i) != w.dim.At(i%w.div)+i/w.div*stride {
			return stride, i / w.div
		}
	}
	return stride, values
}

// next returns the stride of the next digit, which must be the same for its n values; 0 for n = 1.
func (w *walk) next(n int) int {
	stride, values := w.steps(n)
	w.check(values == n, "%s has no single stride", w.digit(n))
	w.div *= n
	return stride
}

// take compares the stride of the next digit.
func (w *walk) take(n, want int) {
	digit := w.digit(n)
	got := w.next(n)
	w.check(n == 1 || got == want, "%s has stride %d, %s needs %d", digit, got, w.sm100.Name, want)
}

// rest returns the stride of all that is left of the index, and the number of indices for which it holds, at most maxMN.
func (w *walk) rest() (stride, extent int) {
	stride, values := w.steps(maxMN / w.div)
	return stride, values * w.div
}

// digit spells the next digit as in a memory order, W//8%2.
func (w *walk) digit(n int) string {
	if w.div == 1 {
		return fmt.Sprintf("%s%%%d", w.dim.Name, n)
	}
	return fmt.Sprintf("%s//%d%%%d", w.dim.Name, w.div, n)
}
