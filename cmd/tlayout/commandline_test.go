package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// choices makes a command line from any bytes: each choice consumes one byte, so that a fuzzer mutates choices. After the last byte all are 0.
type choices struct {
	left []byte
	fine bool // use only values that some command accepts
}

func (c *choices) below(n int) int {
	if len(c.left) == 0 {
		return 0
	}
	b := int(c.left[0])
	c.left = c.left[1:]
	return b % n
}

// one is true for one choice in n, and never after the end.
func (c *choices) one(n int) bool { return c.below(n) == n-1 }

func (c *choices) word(from []string) string {
	if n := slices.Index(from, nearly); n >= 0 && c.fine {
		from = from[:n]
	}
	return from[c.below(len(from))]
}

// nearly separates the valid values of a pool from those that are invalid or extreme.
const nearly = "?"

// raw returns up to 20 of the bytes themselves, without a slash, so that no file outside the folder is named and no connection is opened,
// and without a number above 9, so that nothing large is requested by accident.
func (c *choices) raw(digits bool) string {
	n := min(1+c.below(20), len(c.left))
	text := []byte(strings.ReplaceAll(string(c.left[:n]), "/", "."))
	c.left = c.left[n:]
	if digits {
		text = slices.CompactFunc(text, func(a, b byte) bool { return '0' <= a && a <= '9' && '0' <= b && b <= '9' })
	}
	return string(text)
}

// smallFiles are copied to the folder in which command lines run.
var smallFiles = []string{"x.npy", "photo.npy", "tensors.json", "weights.npz", "bf16.npy", "letters.npy", "small.npy", "model.pt", "m.safetensors",
	"checkpoints/plain.pt", "checkpoints/old.pth", "checkpoints/names.pt", "checkpoints/sparse.pt", "checkpoints/q4.gguf", "checkpoints/model.onnx",
	"checkpoints/program.pt2", "checkpoints/beside.onnx", "checkpoints/beside.onnx.data",
	"checkpoints/model-00001-of-00002.safetensors", "checkpoints/model-00002-of-00002.safetensors", "checkpoints/model.safetensors.index.json",
	"net.onnx", "trace.json.gz", "onednn.log", "hlo.txt"}

// made are the small files that this test writes.
var made = map[string]string{
	"empty.npy": "", "cut.npy": "\x93NUMPY\x01\x00\x76\x00{'descr':", "bad.npz": "PK\x03\x04 no archive", "text.txt": "(2,3):(3,1)\n",
	"s.yaml":        "inspect:\n  limit: 3\n  json: true\nplan:\n  to: nhwc\ncheck: {layout: nchw, quiet: true}\nconvert: {to-pitch: [W=64B, H=2], output: no.npy}\n",
	"quiet.yaml":    "inspect: {quiet: true}\ncheck: {quiet: true, verbose: true}\ndiff: {quiet: true}\n",
	"unknown.yaml":  "inspect: {limits: 3}\n",
	"bad.yaml":      "inspect: [\x01",
	"colored.yaml":  "inspect: {color: always}\ndraw: {color: always, limit: 9}\n",
	"x.nhwc.npy":    "\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 2, 3)}      \nabcdefghijkl",
	"rec.npy":       "\x93NUMPY\x01\x00\x56\x00{'descr': [('a\\x1b', '<f4'), ('b', '|u1')], 'fortran_order': False, 'shape': (1,)}  \n\x00\x00\x80\x3f\x07",
	"evil\x1b.npy":  "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }              \n12345678",
	"trailing.npy":  "\x93NUMPY\x01\x00\x46\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }             \n1234and more",
	"report.json":   `{"schema":"tlayout/bench/v1","numel":1,"rows":[{"suite":"access","layout":"a","pattern":"b","samples_ns":[1]}]}`,
	"noreport.json": `{"schema":"x"}`,
}

// pools are values by subject: valid ones, then almost valid ones.
var pools = map[string][]string{
	"source": slices.Concat([]string{"weights.npz:w", "model.pt:*", "model.pt:head.weight", "m.safetensors:a", "q4.gguf:*", "model.onnx:*", "model.onnx:q", "program.pt2:row", "-", "(2,3):(3,1)",
		"(2,(4,2)<5):(8,(1,4))@2", "Sw<3,3,3> o 0 o (8,64):(64,1)",
		"f32[10,13]{1,0:T(8,4)(2,1)L(512)}", "s4[8,6]{1,0}", "pred[]{:T(128)E(32)}", "memref<2x3xf32, strided<[5, -1], offset: 2>>", "f32[?]{0"}, baseNames(smallFiles),
		[]string{nearly, "missing.npy", "weights.npz:nope", "weights.npz:", ":", "weights.npz:[", ".", "", "evil\x1b.npy:x", "x.npy\x00", "x.npy:a", "2x3x4x5"}, madeNames()),
	"shape":   {"2,3,4,5", "1,64,5,4", "(2,3)", "torch.Size([2, 3])", "2x3x4", "()", "0", "2,0,3,4", "1", "7", "1,1,1,1", nearly, "2,-3", "2,,3", "x", "", "3,8,2,2,2", "2,3,4,5,6,7,8,9"},
	"huge":    {"1000000,1000000,1000000", "9223372036854775807", "9223372036854775808", "1,9973,9973,9973", "4294967296,4294967296", "0,9223372036854775807,2", "3037000500,3037000500"},
	"strides": {"60,20,5,1", "3,1", "1,2", "0,1", "-1", "1", nearly, "9223372036854775807,1", "-9223372036854775808,1", "2,2", "1,1,3,12", "", "x"},
	"layout":  {"nchw", "NHWC", "nchw4", "nChw16c", "OIhw4i16o4i", "{1,3,2,0}", "{1,0:T(8,128)}", "f16[2,3,4,5]{1,3,2,0:T(8,128)}", "affine_map<(d0, d1) -> (d1, d0)>", "channels_last", "kCHW32", "c", "fortran", "row-major", "0,2,3,1", "acdb", "N C//4 H W C%4", nearly, "json", "NCHW0c", "nchw9999999999c", "ab", "nchww", "", "(2,3,4,5):(60,20,5,1)"},
	"dtype":   {"float32", "bf16", "<f4", ">i2", "torch.float16", "|S3", "<U2", "V7", nearly, "int4", "<f4,i2", "flaot32", "", "f128", "datetime64[ns]", "O", "e5m2"},
	"int":     {"0", "1", "2", "7", "-1", "16", "64", "1000", nearly, "x", "", "1.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808"},
	"size":    {"64", "0", "4KiB", "64MiB", "1TiB", nearly, "-1", "1.5GB", "NaN", "", "9e99", "1"},
	"output":  {"y.npy", "y.npz", "y.nhwc.npy", "y.svg", "y.png", "y.html", "y.json", "y.csv", "y.md", "y.txt", "y.pt", "y.safetensors", "y.gguf", nearly, "y.xyz", "y", "-", "nodir.d/y.npy", ".", "", "x.npy", "y\x1b.npy"},
	"dir":     {"out", ".", nearly, "x.npy", ""},
	"step":    {"T", "view(12)", "view(-1)", "permute(0,2,3,1)", "[1:3, ::2]", "[::-1]", "reshape(3,-1)", "expand(2,3)", "squeeze", "unsqueeze(0)", "flip(1)", "as_strided((2,2),(1,2),0)", "contiguous", "to(channels_last)", nearly, "transpose(0,9)", "x.T.T", "coalesce", "complement(24)", "composition(6:1)", "logical_divide(2:1)", "view(", "[", "nope()", "as_strided((9,),(9223372036854775807,))", "unfold(0,2,1)", "diagonal(0,0,1)"},
	"message": {"expected size 64==64, stride 3136==1 at dim=1", "shape '[5, 2]' is invalid for input of size 12", "-", "Set dimensions are [1,2,3]. Expected dimensions are [1,3,2].", nearly, "", "unknown", "shape '[99999999999999999999]' is invalid for input of size 1"},
	"coord":   {"0,0,0,0", "1,2,3,4", "0", "n=1,c=2", "{1,0,1}", nearly, "-1,0", "9,9,9,9", "", "()", "1,2", "x", "9223372036854775807,0,0,0"},
	"at":      {"0", "7", "30B", nearly, "-1", "7,30B", "9223372036854775807", "9223372036854775807B", "x", ""},
	"program": {"net.onnx", "trace.json.gz", "onednn.log", "hlo.txt", "program.pt2", "-", nearly, "model.onnx", "missing.pt2", "x.npy", ".", "", "net.onnx:x"},
	"gate":    {"changes == 0", "share <= 0.5", "nhwc.channel.gbps >= 0", "nhwc.channel.model.lines_per_elem <= 0.07", nearly, "1 > 2", "x", "", "nhwc.channel.gbps / 0 > 1"},
	"cache":   {"l1=48K,12,64", "none", "machine", "l1=1K,1,64,l2=none,l3=none", nearly, "l1=0", "tlb=256K,4,4K", "x", "", "l1=1T,1,1"},
	"name":    {"a", "*", "head.*", "[", "", "numpy", "pytorch", "onednn", "W=64B", "W=64B,H=2", "X=1", "16c", "aBcd16b", "nchw,nhwc", "nchw,,x", "walks", "channel", "sum", "all", "none", "true", "false", "1e-3", "-1", "NaN", "inf", "1ms", "little", "big", "channels_last", "w", "value", "nchw,nhwc,nchw4,c"},
}

func baseNames(paths []string) (names []string) {
	for _, p := range paths {
		names = append(names, p[strings.LastIndex(p, "/")+1:])
	}
	return names
}

func madeNames() (names []string) {
	for name := range made {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// subjects maps a flag to the pool of its values; other flags take values of any.
var subjects = map[string]string{"shape": "shape", "expect-shape": "shape", "file-shape": "shape", "strides": "strides", "expect-strides": "strides",
	"layout": "layout", "from": "layout", "to": "layout", "from-a": "layout", "from-b": "layout", "dtype": "dtype", "dtype-a": "dtype",
	"dtype-b": "dtype", "expect-dtype": "dtype", "limit": "int", "offset": "int", "channels": "int", "channels-a": "int", "channels-b": "int", "threads": "int",
	"rank": "int", "steps": "int", "expect-offset": "int", "wrap": "int", "banks": "name", "max-header": "size", "max-unpacked": "size", "memory": "size",
	"skip": "size", "aligned": "size", "align": "size", "line-size": "size", "max-bytes": "size", "output": "output", "dir": "dir", "at": "at",
	"require": "gate", "cache": "cache", "as": "name", "label": "name", "match": "name", "pitch": "name", "accepted-by": "name", "inner-blocks": "name",
	"layouts": "name", "framework": "name", "pad-value": "name", "contiguous": "name", "config": "source"}

// asking is how a command line may be extreme: small sizes with unlimited output, or sizes that no machine has.
type asking int

const (
	askSmall asking = iota
	askHuge
)

// commandLine returns the arguments and the environment's variables that the choices make.
func commandLine(data []byte) (args []string, env map[string]string) {
	c := &choices{left: data}
	c.fine = c.below(3) > 0
	commands := command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands()
	much := asking(c.below(2))
	at := c.below(len(commands) + 3)
	var cmd *cobra.Command
	switch {
	case at < len(commands):
		cmd = commands[at]
		args = append(args, cmd.Name())
	case at == len(commands):
		cmd, args = commands[0], nil // no command is typed
	case at == len(commands)+1:
		cmd = commands[c.below(len(commands))]
		args = append(args, cobra.ShellCompRequestCmd, cmd.Name())
	default:
		cmd, args = commands[0], []string{c.raw(true)}
	}
	bench := cmd.Name() == "bench"
	if bench { // keep it short, whatever else is typed
		much = askSmall
		args = append(args, "--quick", "--samples=1", "--time=1ms", "--shape="+pools["shape"][c.below(5)])
	}
	var flags []*pflag.Flag
	add := func(f *pflag.Flag) {
		if f.Name != "open" && !(bench && slices.Contains([]string{"shape", "strides", "raw", "offset", "samples", "time", "quick", "config", "inner-blocks", "with"}, f.Name)) {
			flags = append(flags, f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	env = map[string]string{}
	positionals := 0
	for range 1 + c.below(6) {
		kind := c.below(16)
		if c.fine && kind >= 14 {
			kind = 9
		}
		switch {
		case kind < 7 && len(flags) > 0:
			f := flags[c.below(len(flags))]
			args = append(args, typed(c, f, much, bench)...)
		case kind < 13:
			if kind == 7 || !c.fine || positionals == 0 {
				args = append(args, positional(c, cmd.Name(), much, positionals))
				positionals++
			}
		case kind == 13 && len(flags) > 0 && !bench:
			f := flags[c.below(len(flags))]
			env["TLAYOUT_"+strings.ToUpper(strings.ReplaceAll(cmd.Name()+"_"+f.Name, "-", "_"))] = value(c, f, much)
		case kind == 14:
			args = append(args, c.word([]string{"--help", "-h", "--", "-", "--json", "--all", "-q", "-v", "--nope", "--lay=nchw", "-fjson", "-qv", "-f", "--force", "--=", "--json=x", "--color=always"}))
		case !bench:
			args = append(args, safe(c.raw(true)))
		}
	}
	return args, env
}

// safe returns a raw argument that opens nothing.
func safe(arg string) string {
	if strings.Contains(arg, "open") {
		return "--opne"
	}
	return arg
}

// typed returns a flag with its value, in one argument or two, or without one.
func typed(c *choices, f *pflag.Flag, much asking, bench bool) []string {
	name := "--" + f.Name
	if f.Shorthand != "" && c.one(3) {
		name = "-" + f.Shorthand
	}
	if f.NoOptDefVal != "" && !c.one(4) || !c.fine && c.one(16) {
		return []string{name}
	}
	v := value(c, f, much)
	if bench && f.Value.Type() == "bool" {
		v = "true"
	}
	if c.one(2) {
		return []string{name + "=" + v}
	}
	return []string{name, v}
}

// value returns a value for a flag, usually of its kind.
func value(c *choices, f *pflag.Flag, much asking) string {
	writes := slices.Contains([]string{"output", "dir", "config"}, f.Name)
	kind := c.below(16)
	if f.Name == "limit" && much == askHuge {
		return c.word([]string{"1", "7", "64", "x", "-1"}) // 0 means no limit
	}
	if f.Name == "scale" || f.Name == "steps" {
		return c.word([]string{"1", "2", "0", "-1", "x", "1e99"})
	}
	switch enum := strings.Split(f.Value.Type(), "|"); {
	case kind == 15 && !writes && !c.fine:
		return c.raw(true)
	case kind == 14 && !writes && !c.fine:
		return pooled(c, []string{"shape", "layout", "dtype", "int", "name", "size", "step"}[c.below(7)], much)
	case len(enum) > 1:
		return c.word(enum)
	case f.Value.Type() == "bool":
		return c.word([]string{"true", "false", "1", "x", ""})
	case subjects[f.Name] != "":
		return pooled(c, subjects[f.Name], much)
	}
	return pooled(c, []string{"int", "name", "size"}[c.below(3)], much)
}

func pooled(c *choices, subject string, much asking) string {
	if subject == "shape" && much == askHuge && c.one(2) {
		subject = "huge"
	}
	return c.word(pools[subject])
}

// positional returns an argument, usually of a kind that the command takes.
func positional(c *choices, name string, much asking, before int) string {
	subject := "source"
	if before > 0 && !c.one(4) || name == "formats" || name == "why" {
		subject = map[string]string{"trace": "step", "offset": "coord", "formats": "layout", "convert": "output", "why": "message"}[name]
	}
	switch {
	case name == "graph" && !c.one(4):
		subject = "program"
	case subject == "":
		subject = "source"
	case !c.fine && c.one(12) && name != "bench":
		return safe(c.raw(true))
	}
	return pooled(c, subject, much)
}

// typedLine formats a command line for a message.
func typedLine(args []string, env map[string]string) string {
	return fmt.Sprintf("tlayout %q with %q", args, env)
}
