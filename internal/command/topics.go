package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/checkcmd"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convertcmd"
	"github.com/tlayout/tlayout/internal/command/diffcmd"
	"github.com/tlayout/tlayout/internal/command/drawcmd"
	"github.com/tlayout/tlayout/internal/command/formatscmd"
	"github.com/tlayout/tlayout/internal/command/graphcmd"
	"github.com/tlayout/tlayout/internal/command/guesscmd"
	"github.com/tlayout/tlayout/internal/command/inspectcmd"
	"github.com/tlayout/tlayout/internal/command/offsetcmd"
	"github.com/tlayout/tlayout/internal/command/threadscmd"
	"github.com/tlayout/tlayout/internal/command/tracecmd"
	"github.com/tlayout/tlayout/internal/command/whycmd"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

const exitCodesText = `  0  done
  1  the answer is "no": an assertion, comparison, gate or step failed
  2  usage error
  3  malformed input: truncated, or not what it claims to be
  4  a dtype, layout or feature that tlayout does not support
  5  reading, writing, memory or disk

A signal terminates the program by that signal. With several sources, the first
unreadable one determines the exit code: of inspect 4, or 5 if reading failed.

convert with many sources exits with the worst code: first permanent failures,
2, 3 and 4, then 5, which a retry may fix; 0 if every source has its result. A
scheduler should give up on 2, 3 and 4, and retry after 5 or a signal. With
--update --dry-run, 1 means that results are missing or out of date.`

const layoutsText = `A layout is a memory order: physical axes from the outermost to the innermost.

  nchw  NHWC  chwn  ncdhw  oihw  HWIO  one letter for each dim, in any case
  bshd  tbd  ntchw  kn                 other dims: sizes are in this order too
  'T I L E'  'blocks heads dim'        dims of your own, separated by blanks
  LBNHC  BHCN8c  NHD  HND              caches of keys and values
  NCHW4c  nChw16c  OIHW4i16o4i         a block: <size><dim>, innermost fastest
  N C//4 H W C%4                       the same, written out
  acdb  aBcd16b                        oneDNN's tags by position
  0,2,3,1                              a permutation: dims, outermost first
  {1,3,2,0}  {1,0:T(8,128)}            XLA's minor-to-major, with tiles
  channels_last  channels_last_3d      PyTorch; channels_first is nchw
  kCHW32  kHWC8                        TensorRT
  NCHW4  NCHW44  CHWN4  NHWCD4         MegEngine; the number is the block size of C
  sf128x4  sf8x4  sf_mn_major          scale factors of M,K; --vec
  FRACTAL_NZ  b_fs_yx_fsv16  BIL       Ascend, OpenVINO, rasters
  TILE  shuffle_weight  BlockMajorK    Tenstorrent, AITER, FlashInfer; by bytes
  c  fortran  row-major  column-major  the file's own axes
  (2,3):(5,1)@2                        shape:strides@offset in elements: a view
  layout_left  LayoutRight             mdspan's, Kokkos'; -1,+2,+3 is MRtrix'
  torch.Size([2, 3]) (5, 1)            as print(x.shape, x.stride()) writes it
  shape=[2, 3], strides=[3, 1]         names and values, in any brackets
  (2,(4,2)<5):(8,(1,4))                CuTe's nesting: dims split into digits
  Sw<3,3,3> o 0 o (8,64):(64,1)        CuTe's swizzle, in elements
  #ttg.swizzled_shared<{…}>            shared memory of Triton; --shape
  gmem_ptr[16b](0x0) o (8,64):(64,1)   CuTe's tensors; tensor<ptr<…> o …>
  f32[8,4]{1,0:T(8,128)}               an XLA type: a source of its own
  f32[8, 4][4, 1]cuda:0                FX's; sizes s0 and ? need --shape
  memref<2x3xf32, strided<[5, 1]>>     MLIR's, and !migraphx.shaped<…>
  FixedLayout('cpu', torch.int8, …)    Inductor's; %x[FLOAT16, 1x3] is ONNX'
  affine_map<(d0, d1) -> (d1, d0)>     MLIR's order; JAX's Layout(…)

Sizes of images and weights are in the frameworks' order, whatever the memory
order: N,C,H,W for nhwc. Sizes of caches are layers, blocks, keys and values,
heads, tokens, content: those of L,B,K,H,N,C that the name has. Sizes of other
dims are in the order of the name: B,S,H,D for bshd.

A word without blanks is a layout only if frameworks call dims by its letters:
N C D H W of images, G O I of weights, F of frames, B S T L H K Q of sequences
and attention, I J of scores, M N K of matrices, K C R S and N K P Q, Z Y X, and
A B C … by position. coreml and dicom are not.

A layout at the end of a file's or an array's name, x.nhwc.npy, sets the order
of its axes if it has as many axes and the letters of one of these, in any
order, with or without blocks:
FAMILIES

A name that two frameworks define differently means what it does in the one that
it comes from, and a note says so. tlayout formats lists all names with their
memory orders. tlayout trace --cute has CuTe's layout algebra.
Well-known names:

`

const environmentText = `  TLAYOUT_<COMMAND>_<FLAG>  default of a flag:
                            TLAYOUT_CONVERT_TO=nhwc
  TLAYOUT_CONFIG            settings file: tlayout help settings
  TLAYOUT_SHARDS            number of shards of --shard auto, if the array job
                            does not set it, or runs only in part
  TLAYOUT_CPU               instruction set of the kernels: generic (plain Go),
                            avx2 or avx512, on arm64 neon; default: the best
                            available. All give the same result
  NO_COLOR, TERM=dumb       no bold and no colors, unless --color always
  COLORTERM=truecolor       24-bit colors
  LC_ALL, LC_CTYPE, LANG    ASCII only, unless the locale is UTF-8
  TMPDIR                    directory of unnamed temporary files, which hold
                            standard input and deflated arrays

tlayout version shows the instruction set in use, version --json all available.`

const settingsText = `A flag's value comes from the first of these that sets it:

  1. the command line
  2. TLAYOUT_<COMMAND>_<FLAG> in the environment: TLAYOUT_CONVERT_TO=nhwc
  3. the settings file: --config FILE, or else the one that TLAYOUT_CONFIG
     names, or else tlayout/config.yaml in your configuration folder

Its keys are flags, by command:

  inspect:
    limit: 20
  convert:
    to: nhwc

No other file is read: what came with data chooses nothing. tlayout version
shows the file in use.`

const gatesText = `  tlayout bench --require 'nhwc.channel.gbps >= 2 * nchw.channel.gbps'
  tlayout graph net.pt2 --require 'bytes <= 64MiB'

A gate is FIGURE OP NUMBER or FIGURE OP [NUMBER *] FIGURE, where OP is one of
>= <= > < == !=. Repeat --require for several gates. Failed gates are listed
first and make the exit code 1. Unknown figures are rejected before anything is
measured.

Figures:
  LAYOUT.PATTERN.METRIC         nhwc.channel.gbps, nhwc.conv2d.median_ns
  FROM.to.TO.METRIC             nchw.to.nhwc.of_roof
  LAYOUT.channel_over_spatial   slowdown of the channel-wise walk over the
                                spatial one

Metrics of every row:
  gbps                          10⁹ bytes per second; of a conversion and an
                                operator, read and written
  of_roof                       fraction of the roofline: the best bandwidth for
                                reading, or copying, as many bytes; of an
                                operator, for copying the tensor
  median_ns, lo_ns, hi_ns       time of one pass, and its confidence interval
  ns_per_elem, bytes, outliers

Metrics of walks, deterministic for the same --cache:
  model.touches_per_elem        cache lines touched: changes from line to line
  model.lines_per_elem          cache lines fetched into L1
  model.bytes_used_per_byte_fetched
  model.miss_per_elem.l1        L1 misses; also l2, l3
  model.pages_per_elem          TLB misses
  model.sampling_error          bound on the relative error of these metrics if
                                only part of the tensor is simulated, else 0

Figures of tlayout graph, without its weights:
  changes, bytes                changes of a layout, and bytes that they move
  seconds, share                their time, and its fraction of all operators'; a
                                file without times has neither
  weights, weight_bytes         changes of weights
  operators, unknown            all operators, and those that no rule covers

A number of bytes may have a unit: 64MiB.

Times vary on shared runners; gates on the cache model are deterministic:
  --require 'nhwc.channel.model.lines_per_elem <= 0.07'

Two runs: -f gobench writes each as Go's benchmarks do, and benchstat compares
the files.`

const agentText = `Each question has one command. Its first line sums up; read padding, ambiguous
and as stored below it too. --all shows every fact, --json the complete answer
as a document (tlayout help json).

A source is a file (.npy, .npz, .pt, .safetensors, .gguf, .onnx, .pt2), a tensor
in one (model.pt:conv1.weight), raw bytes with --raw --dtype --shape, a URL
(https://, and s3:// in tlayout-cloud), standard input (-), or no file at all:
--shape with --strides or --from LAYOUT (nhwc, fortran, OIHW4i16o4i), a layout
with its sizes '(2,3):(5,1)', or a tensor that a program printed,
'f32[8,4]{0,1}'. A text alone is read as what it is: tlayout 'nchw to nhwc'.

Strides count elements, as in PyTorch; NumPy prints bytes. --shape of images is
N,C,H,W in every memory order; --dims names other dims. What the file does not
say is assumed, and marked so: --from sets the order of its axes.

Nothing casts: --dtype says how to read the bytes that are there, and convert
moves elements as they are. Only convert, draw -o and bench -o write files, and
none replaces a file without --force; -d FOLDER takes those of many sources.
convert --dry-run and plan write nothing. inspect, plan and most of
check read only headers, so that a large or a remote file costs little.

The exit code is 0 if done, 1 if the answer is "no", 2 for wrong usage, 3 for
malformed and 4 for unsupported input, 5 for reading, writing and resources. Of
several sources, one that cannot be read outranks a "no".
Errors are on standard error, mostly with a hint: what to type instead.

# Layout of a file or of printed strides; who accepts it without a copy?
  tlayout inspect x.npy
  tlayout inspect --shape 8,3,4,4 --strides 48,1,12,3
  tlayout inspect model.pt
  tlayout inspect bf16.npy --dtype bfloat16

# Would this framework accept it? Is every tensor what the code expects?
  tlayout check x.npy --contiguous c --accepted-by pytorch

# What does this error message of a framework mean?
  tlayout why 'expected size 64==64, stride 3136==1 at dim=1'

# Which operations copy, and why? Where is channels_last lost?
  tlayout trace --shape 2,3,4,5 'permute(0,2,3,1)' 'reshape(2,60)'
  tlayout trace --numpy --shape 2,3,4 'x.swapaxes(0,1).reshape(-1)'
  tlayout trace 'torch.zeros(2,3,4).permute(2,0,1).stride()'

# Where does a whole model change its layouts? Export, profile, log, HLO, ONNX.
  tlayout graph net.pt2
  tlayout graph onednn.log --require 'share <= 0.05'

# At which offset is an element, and which element is at an offset?
  tlayout offset --shape 2,3,4,5 --from fortran --dtype float32 1,2,3,4
  tlayout offset --shape 32,32,3,3 --from OIHW4i16o4i --at 255

# Why are the loaded values noise: which mistake turned A into B?
  tlayout diff right.npy wrong.npy
  tlayout diff right.npy wrong.npy --rtol 1e-3

# What is in these bytes?
  tlayout guess dump.bin

# What would converting cost? Convert, and prove that nothing changed.
  tlayout plan x.npy --to nhwc
  tlayout convert x.npy --to nhwc --verify
  tlayout convert 'images/*.npy' --from nhwc --to nchw -d out --verify

# Is channels_last faster, on this device, with the installed PyTorch?
  tlayout bench --with torch --shape 8,64,56,56 --device cuda

# What do other frameworks call a layout?
  tlayout formats nhwc

# Which thread holds which element? Which swizzle avoids bank conflicts?
  tlayout threads SM80_16x8x16_F32F16F16F32_TN:A --thread 5
  tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8 --at 9,3
  tlayout plan --shared --shape 64,32 --dtype fp16 --read ldmatrix --write w:16

# A picture
  tlayout draw x.npy -o x.svg

# In Python, on tensors in memory: pip install tlayout
  import tlayout
  with tlayout.watch(model) as watched: model(x)
  print(watched.report())              # each change of layout, and its line
  tlayout.assert_layout(x, contiguous="channels_last")
  tlayout.relate(right, wrong)         # which mistake turned one into the other`

// Documents lists the JSON documents that the program writes.
//
// To add a document: a row of its command's Documents. A field needs its tag, jsonschema:"null of …" too if it is a slice that may be null, and its
// meaning as its comment, which ends in ", in bytes" if the name does not say the unit. A name that has a comment elsewhere needs none: it must mean
// the same (TestVocabulary). go test ./cmd/tlayout -run 'TestSchemas|TestVocabulary' -update writes docs/schema.
var Documents = slices.Concat(inspectcmd.Documents, drawcmd.Documents, offsetcmd.Documents, tracecmd.Documents, threadscmd.Documents, formatscmd.Documents, graphcmd.Documents, guesscmd.Documents, convertcmd.Documents,
	checkcmd.Documents, diffcmd.Documents, benchDocuments, whycmd.Documents, []cli.Document{versionDocument, cli.Messages})

const jsonShort = "JSON documents"

const jsonText = `--json writes the complete answer as one document, with or without --all. A
single document is indented; several sources give one document per line. A name
has the same type, unit and meaning in every document. Within a version, names
are added, but never change: ignore unknown names. tlayout help json NAME gives
the meaning, unit, type and documents of a name, such as strides.

Documents, by schema, and the commands that print them:

`

// jsonTopic returns the page of tlayout help json.
func jsonTopic() string {
	text := jsonText
	for _, d := range Documents {
		text += fmt.Sprintf("  %-29s %s\n", d.Schema, d.Prints)
	}
	return text + "\ndocs/schema has the JSON Schemas."
}

// helpTopics returns help pages without a command: tlayout help exit-codes, tlayout help layouts and so on.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "Exit codes", Long: exitCodesText},
		{Use: "environment", Short: "Environment variables", Long: environmentText},
		{Use: "settings", Short: "The settings file and the environment", Long: settingsText},
		{Use: "json", Short: jsonShort, Long: jsonTopic()},
		{Use: "gates", Short: "Gates: expressions of bench and graph --require", Long: gatesText},
		{Use: "layouts", Short: "Names of layouts", Long: strings.Replace(layoutsText, "FAMILIES\n", text.Fold("  "+strings.Join(filename.Families(), " "), 76, 2)+"\n", 1) +
			text.Fold("  "+strings.Join(notation.WellKnown(), " "), 76, 2)},
		{Use: "agent", Short: "The commands by question, on one page", Long: agentText},
	}
}
