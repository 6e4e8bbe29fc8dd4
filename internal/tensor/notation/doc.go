// Package notation reads and prints the names that frameworks give to layouts.
//
// A Format is a memory order before sizes are known: physical axes from the outermost to the innermost, each a dim
// or a digit of one. Bound to sizes it is a tensor.Layout:
//
//	"nChw16c" ─Parse─► Format N C//16 H W C%16 ─Bind(2,17,5,4)─► Layout (2,(16,2)<17,5,4):(640,(1,320),64,16)
//
// The canonical name is TVM's spelling with oneDNN's freedom: outer axes upper case, blocks as <size><lower-case
// letter>, anywhere and any number of them; the innermost block of a dim holds its least significant digit.
//
//	NCHW   NHWC   NCHW4c   CHWN4c   NHCW4c   OIHW4i16o4i
//
// The explicit form is the same, written out: "N C//4 H W C%4", in general D//div%extent.
//
// The table in alias.go has the names that mean more than they spell, or mean different things in different frameworks. It takes
// precedence over the grammar: MegEngine's NCHW4 splits C although no letter follows the 4, and CHWN4 splits C too, not the N before
// the 4.
//
// The logical order of a name's dims depends on its letters, see family.go: N,C,H,W for images in every memory order, as written for
// other dims, such as those of BSHD.
//
//	family.go        which dims a name's letters are, and in which order; cache.go: those of caches of keys and values
//	format.go        Format: a memory order, bound to sizes or found in a layout
//	name.go          how a Format is printed
//	parse.go         Parse, and the grammar of canonical names; alias.go, explicit.go, xla.go, affine.go: other spellings
//	blocks.go        the blocked layout that a oneDNN descriptor describes by strides and inner blocks
//	word.go          layouts in words, channels_first and row-major, and as permutations; list.go: lists of integers
//	shape_stride.go  layouts with their sizes: (2,3):(5,1)@2; bytes.go: strides in bytes; swizzle.go: swizzled ones; sized.go: those that take the sizes of a tensor
package notation
