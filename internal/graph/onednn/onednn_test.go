package onednn

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// The reorders of a network with two convolutions are found in logs of two versions, with and without timestamps. With channels_last only
// weights are reordered; without it oneDNN blocks channels, and the reorders around what PyTorch does between the convolutions cancel.
//
// The logs are those of PyTorch 2.15 and 1.13 with ONEDNN_MAX_CPU_ISA=AVX2. 3.4_segmentation.log has what issue 1847 of oneDNN reports:
// a sum in NCHW between convolutions in NHWC.
func TestOneDNNReorders(t *testing.T) {
	for name, want := range map[string]string{
		"2.6_avx2.log": `
reorder 32,3,3,3 OHWI OHWI8o weight
reorder 64,32,3,3 OHWI OIHW8i8o weight`,
		"3.13.log": `
reorder 32,3,3,3 OHWI HWIO weight
reorder 64,32,3,3 OHWI HWIO weight`,
		"3.13_blocked.log": `
reorder 32,3,3,3 OIHW OHWI8o weight
reorder 4,32,64,64 NCHW8c NCHW cancels 2
reorder 4,32,64,64 NCHW NCHW8c cancels 1
reorder 64,32,3,3 OIHW OIHW8i8o weight
reorder 4,64,32,32 NCHW8c NCHW`,
		"3.13_primitives.log": `
reorder 2,16,8,3,3 GOIHW GOIHW8i8o weight
reorder 2,16,8,8 NCHW NCHW8c
reorder 2,32,4,4 NCHW8c NCHW
reorder 2,16,8,8 NCHW NHWC
reorder 32,16,3,3 OIHW OIHW8i16o2i weight
reorder 2,32,6,6 NCHW16c NCHW
reorder 2,16,8,8 NCHW NHWC
reorder 8,16,2,2 IOHW HWIO weight
reorder 2,16,8,8 NCHW NCHW4c
reorder 4,8,4,3,3 GOIHW GOIHW4i4o weight
reorder 2,32,6,6 NCHW4c NCHW cancels 11
reorder 2,32,6,6 NCHW NCHW4c cancels 10
reorder 4,8,4,3,3 GOIHW GOIHW4o4i weight
reorder 2,16,8,8 NCHW4c NCHW
reorder 64,32 1,0 BA64b4a weight
reorder 64,32 1,0 BA64b4a weight`,
		"3.4_segmentation.log": `
reorder 1,32,56,96 NHWC NCHW
reorder 1,32,56,96 NCHW NHWC`,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Read(bytes.NewReader(graphtest.Sample(t, name)))
			if err != nil {
				t.Fatal(err)
			}
			graphtest.WantLines(t, graphtest.NamedChanges(p), want)
			if !p.Timed || !p.ListsCopies || len(p.UnknownOperators()) > 0 {
				t.Errorf("timed %t, lists copies %t, unknown %v", p.Timed, p.ListsCopies, p.UnknownOperators())
			}
		})
	}
}

// The time of a program is the sum of the last fields of its log, in ms.
func TestOneDNNSeconds(t *testing.T) {
	logs, _ := filepath.Glob("testdata/*.log")
	for _, name := range logs {
		log := graphtest.Sample(t, filepath.Base(name))
		want := 0.0
		lines := 0
		for _, m := range regexp.MustCompile(`(?m),exec,.*,([0-9.]+)$`).FindAllSubmatch(log, -1) {
			ms, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			want += ms / 1000
			lines++
		}
		p, err := Read(bytes.NewReader(log))
		if err != nil || len(p.Operators) != lines || math.Abs(p.Seconds()-want) > 1e-12 {
			t.Errorf("%s: %d operators, %g s, %v; want %d, %g", name, len(p.Operators), p.Seconds(), err, lines, want)
		}
	}
}

// Each primitive's problem gives the sizes of its operands, and the descriptors say which it writes. The lines are of oneDNN 1.8 to 3.13; the
// strides of a tag are those that the descriptor prints, else those of a dense tensor.
func TestOneDNNOperands(t *testing.T) {
	for line, want := range map[string]string{
		"dnnl_verbose,exec,cpu,reorder,jit:blk,undef,src_f32::blocked:abcde:f0 dst_f32::blocked:Abcde16a:f0,,,512x1x1x3x3,0.02":                                                                                                           "float32[512,1,1,3,3][9,9,9,3,1] -> float32[512,1,1,3,3]",
		"onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:abcd::f0 dst:f32::blocked:bacd:48x100x8x3:f0,,,2x2x3x2,0.1":                                                                                          "float32[2,2,3,2][12,6,2,1] -> float32[2,2,3,2][48,100,8,3]",
		"onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f8_e5m2::blocked:ab::f0 dst:s8:p:blocked:AB16a64b4a::f8:zpm2,,,64x32,0.1":                                                                                         "float8_e5m2[64,32][32,1] -> int8[64,32]",
		"onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:abcd::f0 dst:f32:p:blocked:acdB8b::f0,,,2x12x3x2,0.1":                                                                                                "float32[2,12,3,2][72,6,2,1] -> float32[2,12,3,2][96,1,32,16]",
		"onednn_verbose,primitive,exec,cpu,reorder,jit:uni,undef,src_f8_e4m3::blocked:ab::f0 dst_boolean::blocked:ba::f0,,,64x32,0.1":                                                                                                     "float8_e4m3fn[64,32][32,1] -> invalid[64,32][1,64]",
		"onednn_verbose,primitive,exec,cpu,convolution,x,forward_inference,src_f32:a:blocked:acdb::f0 wei_f32:a:blocked:debcA8a::f0 bia_undef::undef::: dst_f32:a:blocked:acdb::f0,,alg:x,g192mb1_ic192oc192_ih14oh14kh3_iw24ow24kw3,0.1": "float32[1,192,14,24][64512,1,4608,192] float32[192,1,1,3,3][1,192,192,576,192] -> float32[1,192,14,24][64512,1,4608,192]",
		"onednn_verbose,exec,cpu,convolution,x,backward_data,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 bia_undef::undef::f0 dst_f32::blocked:abcd:f0,,alg:x,mb2_ic4oc8_ih8oh6kh3_iw8ow6kw3,0.1":                                   "float32[8,4,3,3][36,9,3,1] float32[2,8,6,6][288,36,6,1] -> float32[2,4,8,8][256,64,8,1]",
		"onednn_verbose,exec,cpu,convolution,x,backward_weights,src_f32::blocked:abc:f0 wei_f32::blocked:abc:f0 bia_f32::blocked:a:f0 dst_f32::blocked:abc:f0,,alg:x,mb2_ic4oc8_iw8ow6kw3sw1dw0pw-1,0.1":                                  "float32[2,4,8][32,8,1] float32[2,8,6][48,6,1] -> float32[8,4,3][12,3,1] float32[8][1]",
		"onednn_verbose,exec,cpu,pooling_v2,x,forward_inference,src_f32::blocked:abcd:f0 dst_f32::blocked:abcd:f0 ws_undef::undef::f0,,alg:x,mb2ic32_ih8oh4kh2_iw8ow4kw2,0.1":                                                             "float32[2,32,8,8][2048,64,8,1] -> float32[2,32,4,4][512,16,4,1]",
		"onednn_verbose,exec,cpu,batch_normalization,x,forward_inference,data_f32::blocked:acdb:f0 diff_undef::undef::f0,,flags:GS,mb2ic32ih8iw4,0.1":                                                                                     "float32[2,32,8,4][1024,1,128,32] -> float32[2,32,8,4][1024,1,128,32]",
		"onednn_verbose,v1,primitive,exec,cpu,group_normalization,x,forward_inference,src:f32::blocked:abcd::f0 dst:f32::blocked:abcd::f0,,flags:,g4mb2ic8ih2iw3,0.1":                                                                     "float32[2,8,2,3][48,6,3,1] -> float32[2,8,2,3][48,6,3,1]",
		"onednn_verbose,exec,cpu,pooling,x,forward_inference,src_f32::blocked:abcd:f0 dst_f32::blocked:abcd:f0,,alg:x,mb1ic2_ih4oh2kh2sh2dh0ph-1_iw4ow2kw2,0.1":                                                                           "float32[1,2,4,4][32,16,4,1] -> float32[1,2,2,2][8,4,2,1]",
		"onednn_verbose,v1,primitive,exec,cpu,reorder,x,undef,src:f32::blocked:abcd:12x4x1:f0 dst:f32::blocked:abc:12x4:f0,,,2x3x4,0.1":                                                                                                   "? -> float32[2,3,4][12,4,1]",
		"onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:aBcd16b:f0 dst_f32::blocked:AB16a64b4a:f0,,,1x3x2x2,0.1":                                                                                                                "float32[1,3,2,2][64,1,32,16] -> ?",
		"onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:aB16b:f0 dst_f32::blocked:AB16a64b4a:f0,,,1x1,0.1":                                                                                                                      "float32[1,1][16,1] -> float32[1,1][1,4]",
		"onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:nchw:f0 dst_f32::blocked:abc:f0,,,1x2x3x4,0.1":                                                                                                                          "? -> ?",
		"onednn_verbose,exec,cpu,lrn,x,forward_inference,data_f32::blocked:abcd:f0 diff_undef::undef::f0,,alg:x,mb2ic8ih4iw4ls5beta0.75,0.1":                                                                                              "float32[2,8,4,4][128,16,4,1] -> float32[2,8,4,4][128,16,4,1]",
		"onednn_verbose,exec,cpu,inner_product,x,forward_training,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 bia_f32::blocked:a:f0 dst_f32::blocked:ab:f0,,,mb3ic64ih2iw2oc10,0.1":                                                 "float32[3,64,2,2][256,4,2,1] float32[10,64,2,2][256,4,2,1] float32[10][1] -> float32[3,10][10,1]",
		"onednn_verbose,exec,cpu,matmul,x,undef,src_u8::blocked:ab:f0 wei_s8::blocked:ab:f0 bia_f32::blocked:ab:f0_mask2 dst_f32::blocked:ab:f0,,,*x64:64x32:*x32,0.1":                                                                    "? int8[64,32][32,1] ? -> ?",
		"onednn_verbose,v1,primitive,exec,cpu,matmul,x,undef,src:bf16::blocked:abc::f0 wei:bf16::blocked:acb::f0 dst:bf16::blocked:abc::f0,,,2x4x8:1x8x5,0.1":                                                                             "bfloat16[2,4,8][32,8,1] bfloat16[1,8,5][40,1,8] -> bfloat16[2,4,5][20,5,1]",
		"onednn_verbose,exec,cpu,binary,x,undef,src_f32::blocked:ab:f0 src_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,alg:x,4x1:4x8,0.1":                                                                                                  "float32[4,1][1,1] float32[4,8][8,1] -> float32[4,8][8,1]",
		"onednn_verbose,exec,cpu,concat,x,undef,src_f32::blocked:abc:f0 src_f32::blocked:abc:f0 dst_f32::blocked:abc:f0,,axis:1,2x3x4:2x5x4,0.1":                                                                                          "float32[2,3,4][12,4,1] float32[2,5,4][20,4,1] -> float32[2,8,4][32,4,1]",
		"onednn_verbose,exec,cpu,reduction,x,undef,src_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,alg:x p:1 eps:0,4x8:4x1,0.1":                                                                                                            "float32[4,8][8,1] -> float32[4,1][1,1]",
		"onednn_verbose,exec,cpu,resampling,x,forward_inference,src_f32::blocked:abcd:f0 dst_f32::blocked:abcd:f0,,alg:x,mb1ic1_ih2oh4_iw3ow6,0.1":                                                                                        "float32[1,1,2,3][6,6,3,1] -> float32[1,1,4,6][24,24,6,1]",
		"onednn_verbose,exec,cpu,layer_normalization,x,forward_training,src_f32::blocked:abc:f0 dst_f32::blocked:abc:f0 stats_undef::undef::f0 scale_f32::blocked:a:f0,,flags:C,2x3x4,0.1":                                                "float32[2,3,4][12,4,1] ? -> float32[2,3,4][12,4,1]",
		"onednn_verbose,exec,cpu,rnn,x,forward_inference,src_layer_f32::blocked:abc:f0 wei_layer_f32::rnn_packed::f0 dst_layer_f32::blocked:abc:f0,,alg:x,l1t3mb5sic8slc8dhc8dic8,0.1":                                                    "? ? -> ?",
	} {
		p, err := Read(strings.NewReader(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := graphtest.Operands(p, &p.Operators[0]); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
		}
	}
}

// Lines of a log are found behind a prefix, in colors, behind another thread's unfinished line, and with a decimal comma. Other lines do not
// count; those without all their fields, or with a time that is none, do.
func TestOneDNNLines(t *testing.T) {
	const rest = "exec,cpu,reorder,jit:uni,undef,src_f32::blocked:ab:f0 dst_f32::blocked:ba:f0,,,2x3,"
	p, err := Read(strings.NewReader(strings.Join([]string{
		"loading", "[rank 0] onednn_verbose," + rest + "1", "\x1b[32monednn_verbose," + rest + "1\x1b[0m\r",
		"onednn_verbose,v1,primitive,exec,cponednn_verbose,1693.5," + rest + "1", "onednn_verbose," + rest + "1,5",
		"onednn_verbose,v1,graph," + rest + "1", "onednn_verbose,v1,primitive,create:cache_hit,cpu,reorder,a,b,c,,,2x3,1", "onednn_verbose",
		"onednn_verbose," + rest + "inf", "onednn_verbose," + rest + "-1", "onednn_verbose," + rest + "NaN", "onednn_verbose," + rest,
		"onednn_verbose,exec,cpu,reorder,jit:uni,undef,src_f32", "onednn_verbose," + rest + strings.Repeat("9", maxLogLine),
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(p.Notes, "; ")
	if len(p.Operators) != 4 || math.Abs(p.Seconds()-0.0045) > 1e-12 || !strings.Contains(notes, "6 lines cut off") {
		t.Errorf("%d operators, %g s, %s", len(p.Operators), p.Seconds(), notes)
	}
	if first, last := p.Tensor(p.Operators[0].Inputs[0]), p.Tensor(p.Operators[3].Inputs[0]); first != last {
		t.Error("equal descriptors have two tensors")
	}
}

// A reorder's operand is a weight if a later primitive reads the result as wei, unless matmul's operand was computed, or another reorder has
// made such a tensor before.
func TestOneDNNWeights(t *testing.T) {
	const (
		pack  = "onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:ab:f0 dst_f32::blocked:ba:f0,,,8x8,1\n"
		block = "onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:ab:f0 dst_f32::blocked:Ab2a:f0,,,8x8,1\n"
		again = "onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:Ab2a:f0 dst_f32::blocked:ba:f0,,,8x8,1\n"
		batch = "onednn_verbose,exec,cpu,reorder,x,undef,src_f32::blocked:abc:f0 dst_f32::blocked:acb:f0,,,2x8x8,1\n" +
			"onednn_verbose,exec,cpu,matmul,x,undef,src_f32::blocked:abc:f0 wei_f32::blocked:acb:f0 dst_f32::blocked:abc:f0,,,2x4x8:2x8x8,1\n"
		matmul = "onednn_verbose,exec,cpu,matmul,x,undef,src_f32::blocked:ab:f0 wei_f32::blocked:ba:f0 dst_f32::blocked:ab:f0,,,4x8:8x8,1\n"
		square = "onednn_verbose,exec,cpu,matmul,x,undef,src_f32::blocked:ab:f0 wei_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,,8x8:8x8,1\n"
	)
	for log, want := range map[string]string{
		pack + matmul:                 "true",
		pack + square + pack + matmul: "false false",
		pack + pack + matmul:          "true true", // of one operand
		pack:                          "false",
		block + again + matmul:        "true true",
		batch:                         "false",
	} {
		p, err := Read(strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range p.Changes() {
			got = append(got, strconv.FormatBool(c.Weight))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: weights %v, want %s", log, got, want)
		}
	}
}

// A log without primitives is refused, with the variable to set; that of MKL-DNN 0.x, as in issue 359 of oneDNN, by name.
func TestOneDNNRefuses(t *testing.T) {
	for log, want := range map[string]string{
		"":                                    "no line of a primitive that has run",
		"onednn_verbose,info,oneDNN v2.6.3\n": "no line of a primitive that has run",
		"mkldnn_verbose,exec,reorder,jit:uni,undef,in:f32_nchw out:f32_nChw8c,num:1,50x64x112x112,16.5391": "MKL-DNN 0.x",
	} {
		_, err := Read(strings.NewReader(log))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", log, err, want)
		}
	}
	if _, err := Read(iotest.ErrReader(os.ErrPermission)); fault.ClassOf(err) != fault.Resource {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// A log that ends in any line, and anywhere in it, has the operators of the lines before.
func TestOneDNNTruncated(t *testing.T) {
	log := graphtest.Sample(t, "3.13_primitives.log")
	for end := 0; end < len(log); end += 11 {
		want := bytes.Count(log[:bytes.LastIndexByte(log[:end], '\n')+1], []byte(",exec,"))
		p, err := Read(bytes.NewReader(log[:end]))
		if err != nil {
			if want > 0 {
				t.Errorf("%d bytes: %v", end, err)
			}
			continue
		}
		if got := len(p.Operators); got < want || got > want+1 {
			t.Errorf("%d bytes: %d operators, want %d", end, got, want)
		}
		p.Changes()
	}
}

func FuzzOneDNN(f *testing.F) {
	logs, _ := filepath.Glob("testdata/*.log")
	for _, name := range logs {
		f.Add(graphtest.Sample(f, filepath.Base(name)))
	}
	f.Fuzz(func(_ *testing.T, log []byte) {
		p, err := Read(bytes.NewReader(log))
		if err == nil {
			p.Changes()
		}
	})
}

// A log of a million lines takes seconds: BenchmarkOneDNN reads one of distinct and of repeated lines.
func BenchmarkOneDNN(b *testing.B) {
	for name, distinct := range map[string]int{"repeated": 16, "distinct": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			var log bytes.Buffer
			for i := range 1_000_000 {
				fmt.Fprintf(&log, "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:acdb::f0 dst:f32::blocked:aBcd8b::f0,"+
					"attr-scratchpad:user,,%dx32x64x64,0.0371094\n", 1+i%distinct)
			}
			b.SetBytes(int64(log.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(bytes.NewReader(log.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
