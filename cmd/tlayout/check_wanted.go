package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// wanted are the assertions, as they were typed.
type wanted struct {
	layout      layoutFlag
	strict      bool
	dtype       wantedDType
	byteOrder   wordFlag
	shape       patternFlag
	rank        numberFlag
	fileShape   patternFlag
	strides     patternFlag
	offset      numberFlag
	contiguous  wordFlag
	packed      bool
	noPadding   bool
	noOverlap   bool
	noBroadcast bool
	aligned     sizeFlag
	maxBytes    sizeFlag
	finite      bool
	acceptedBy  consumersFlag
}

const assertionNames = "assert --layout, --dtype, --byte-order, --shape, --rank, --file-shape, --strides, --offset, --contiguous, " +
	"--packed, --no-padding, --no-overlap, --no-broadcast, --aligned, --max-bytes, --finite or --accepted-by"

func (w *wanted) addFlags(cmd *cobra.Command) {
	w.shape.open, w.fileShape.open = true, true
	w.byteOrder.values, w.contiguous.values = []string{"little", "big"}, senses
	flags := cmd.Flags()
	flags.Var(&w.layout, "layout", "it lies in this memory order, outermost first; gaps do not matter")
	flags.BoolVar(&w.strict, "strict", false, "no other order is possible, the axes are known, and size-1 dims count")
	flags.Var(&w.dtype, "dtype", "its items are of this type; <f4 and >f4 name the byte order too")
	flags.Var(&w.byteOrder, "byte-order", "its items are of this byte `order`: little or big")
	flags.Var(&w.shape, "shape", "its logical sizes, N,C,H,W; * or -1 for any")
	flags.Var(&w.rank, "rank", "how many logical dims it has")
	flags.Var(&w.fileShape, "file-shape", "the shape in the file's header")
	flags.Var(&w.strides, "strides", "its strides, in elements")
	flags.Var(&w.offset, "offset", "where its first element lies in storage, in elements")
	flags.Var(&w.contiguous, "contiguous", "it is contiguous in a `sense`: "+strings.Join(senses, ", "))
	flags.Lookup("contiguous").NoOptDefVal = senseC
	flags.BoolVar(&w.packed, "packed", false, "as many addresses as elements, none shared")
	flags.BoolVar(&w.noPadding, "no-padding", false, "nothing in storage but elements")
	flags.BoolVar(&w.noOverlap, "no-overlap", false, "no two elements share an address")
	flags.BoolVar(&w.noBroadcast, "no-broadcast", false, "no dim of stride 0")
	flags.Var(&w.aligned, "aligned", "its first element lies in the file at a multiple of so many bytes")
	flags.Var(&w.maxBytes, "max-bytes", "it takes no more than so many bytes, padding included")
	flags.BoolVar(&w.finite, "finite", false, "no element is infinite, NaN or NaT; reads all the data")
	flags.Var(&w.acceptedBy, "accepted-by", "all of these take it as it lies: "+strings.Join(w.acceptedBy.words(), ", "))
	must(cmd.RegisterFlagCompletionFunc("layout", completeLayouts))
	must(cmd.RegisterFlagCompletionFunc("dtype", completeDTypes))
	completeEnums(cmd, flags)
}

// any reports whether something is asserted. --strict asserts nothing by itself.
func (w *wanted) any() bool {
	return w.layout.layout != nil || w.dtype.dtype != nil || w.byteOrder.word != "" || w.shape.set || w.rank.set || w.fileShape.set ||
		w.strides.set || w.offset.set || w.contiguous.word != "" || w.packed || w.noPadding || w.noOverlap || w.noBroadcast ||
		w.aligned.n > 0 || w.maxBytes.n > 0 || w.finite || w.acceptedBy.keys != nil
}
