package main

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

const exitCodesText = `  0  done
  1  the answer is "no": the question was answered, and something does not hold
  2  the command line makes no sense
  3  the input breaks its format: cut short, or not what it claims to be
  4  a dtype, layout or feature that tlayout does not support
  5  reading, writing, memory or disk

A signal ends the program by that signal. With several sources, the first one
that cannot be read decides.`

const layoutsText = `A layout is a memory order: physical axes from the outermost to the innermost.

  nchw  NHWC  chwn  ncdhw  oihw  HWIO  one letter for each dim, in any case
  NCHW4c  nChw16c  OIHW4i16o4i         a block: <size><dim>, innermost fastest
  N C//4 H W C%4                       the same, said without rules
  acdb  aBcd16b                        oneDNN's tags by position
  {1,3,2,0}  {1,0:T(8,128)}            XLA's minor-to-major, with tiles
  channels_last  channels_last_3d      PyTorch
  kCHW32  kHWC8                        TensorRT
  NCHW4  NCHW44  CHWN4  NHWCD4         MegEngine; the number splits C
  c  fortran                           the file's own axes, row- or column-major
  (2,3):(5,1)@2                        shape:strides@offset in elements: a view
  (2,(4,2)<5):(8,(1,4))                CuTe's nesting for a dim split in digits

Names that two frameworks read differently are read as their own framework
does, and the output says so. tlayout formats lists all names with their memory
orders. Well-known ones:

`

const environmentText = `  TLAYOUT_<COMMAND>_<FLAG>  a flag's value where it is not typed:
                            TLAYOUT_CONVERT_TO=nhwc
  TLAYOUT_CPU               the instructions that move data: generic (plain Go),
                            sse2, avx2 or avx512; not set, the best there are.
                            The bytes are the same with all of them
  NO_COLOR, TERM=dumb       neither bold nor colours, unless --color always
  COLORTERM=truecolor       cells are coloured in 24 bits
  LC_ALL, LC_CTYPE, LANG    rules and bars of ASCII unless the locale is UTF-8
  TMPDIR                    where standard input and deflated arrays are kept
                            while they are read, in files without names

tlayout version says which instructions move data, and version --json which
there are.`

const gatesText = `  tlayout bench --require 'nhwc.channel.gbps >= 2 * nchw.channel.gbps'

A gate compares figures and numbers with >= <= > < == !=, computes with + - * /
and parentheses, and joins comparisons with && || and !. Each --require is one;
each that does not hold is a line on standard error, and the exit code is 1.
What names no row, or no figure, is refused before anything is measured.

Figures:
  LAYOUT.PATTERN.METRIC         nhwc.channel.gbps, nchw16c.maxpool.median_ns
  FROM.to.TO.METRIC             nchw.to.nhwc.of_roof
  LAYOUT.channel_over_spatial   the time of the channel-wise walk over that of
                                the spatial one
  baseline.…                    the same in the file of --baseline

Metrics of every row:
  gbps                          10⁹ bytes a second; of a conversion, read and
                                written
  of_roof                       over the fastest read, or copy, of as many bytes
  median_ns, lo_ns, hi_ns       one pass, and the ends of its interval
  ns_per_elem, bytes, outliers

Metrics of walks, which are the same in every run and on every machine as long
as --cache says the same:
  model.touches_per_elem        how often the walk goes to another line
  model.lines_per_elem          lines fetched into the first cache
  model.bytes_used_per_byte_fetched
  model.miss_per_elem.l1        also l2, l3: lines that came from further away
  model.pages_per_elem          pages whose translation had to be looked up
  model.error                   0, or how far off the figures above may be, where
                                only a part of a large tensor is simulated

Times vary on shared runners; a gate on the model does not:
  --require 'nhwc.channel.model.lines_per_elem <= 0.07'
  --require 'nchw.channel.median_ns <= 1.2 * baseline.nchw.channel.median_ns'`

// helpTopics are pages without a command: tlayout help exit-codes, tlayout help layouts and so on.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesText},
		{Use: "environment", Short: "What the environment changes", Long: environmentText},
		{Use: "gates", Short: "What tlayout bench --require can compare", Long: gatesText},
		{Use: "layouts", Short: "How layouts are named", Long: layoutsText + words.Wrap(notation.WellKnown(), 76)},
	}
}
