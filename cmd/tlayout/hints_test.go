package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
)

// hinted are command lines with hints, and the command line that each hint names.
//
// A new hint that names a command line is a row here, which provokes the hint and runs the line.
var hinted = []struct{ typed, named string }{
	{"tlayout show x.npy", "tlayout inspect x.npy"},
	{"tlayout explain x.npy", "tlayout inspect x.npy --explain"},
	{"tlayout reshape x.npy 6,20", "tlayout trace x.npy 'reshape(-1)'"},
	{"tlayout flatten x.npy", "tlayout trace x.npy 'flatten()'"},
	{"tlayout permute x.npy", "tlayout trace x.npy 'permute(0,2,3,1)'"},
	{"tlayout transpose x.npy", "tlayout convert x.npy --to nhwc"},
	{"tlayout validate x.npy", "tlayout check x.npy --expect-dtype float32 --contiguous c --aligned 64"},
	{"tlayout index x.npy", "tlayout offset x.npy 1 2 3 4"},
	{"tlayout follow x.npy", "tlayout trace x.npy 'transpose(1,2)' 'reshape(2,-1)'"},
	{"tlayout cmp x.npy x.npy", "tlayout diff x.npy x.npy"},
	{"tlayout plot x.npy", "tlayout draw x.npy"},
	{"tlayout benchmark x.npy", "tlayout bench x.npy"},
	{"tlayout nonsense", "tlayout --help"},
	{"tlayout inspect --from=-1,+2,+3", "tlayout inspect --shape 8,8,8 --from=-1,+2,+3"},
	{"tlayout 'f32[s0, 64][64, 1]cuda:0'", "tlayout inspect --shape 8,64 --from 'f32[s0, 64][64, 1]cuda:0'"},
	{"tlayout threads \"$(printf 'MMA Atom\\n  Shape MNK: (16,8,16)\\n  TV Layout C: ((4,8),(2,2)):((32,1),(16,8))\\n')\"", "tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8"},
	{"tlayout help json nonsense", "tlayout help json"},
	{"tlayout help json strides dims", "tlayout help json strides"},
	{"tlayout inspect --nonsense", "tlayout inspect --help"},
	{"tlayout inspect x.npy --from ''", "tlayout help layouts"},
	{"tlayout inspect x.npy --from 1+2", "tlayout help layouts"},
	{"tlayout inspect 'memref<2xvector<4xf32>>'", "tlayout help layouts"},
	{"tlayout inspect noise.bin", "tlayout guess noise.bin"},
	{"tlayout inspect 'model.pt:none*'", "tlayout inspect model.pt"},
	{"tlayout inspect model.pt:none", "tlayout inspect model.pt"},
	{"tlayout inspect weights.npz --all", "tlayout inspect weights.npz:"},
	{"tlayout check x.npy", "tlayout check --help"},
	{"tlayout check y.nchw.npy --layout nhwc", "tlayout convert y.nchw.npy --from nchw --to nhwc"},
	{"tlayout check model.pt --aligned 4096", "tlayout convert model.pt "},
	{"tlayout check --from json one.json two.json --packed", "cat *.json | tlayout check --from json - --packed"},
	{"tlayout check --from json one.json --weights-only", "tlayout check model.pt --weights-only"},
	{"tlayout convert x.npy", "tlayout convert x.npy --to nhwc"},
	{"tlayout convert images -d out", "tlayout convert FOLDER --to nhwc -d RESULTS"},
	{"tlayout convert model.pt --to abcdefgh -o m.pt", "tlayout inspect model.pt"},
	{"tlayout formats --descriptor", "tlayout formats --descriptor 'Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)'"},
	{"tlayout formats --descriptor 64:1 --dtype float16", "tlayout formats --descriptor 'Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)'"},
	{"tlayout plan x.npy", "tlayout plan x.npy --to nhwc"},
	{"tlayout plan", "tlayout help layouts"},
	{"tlayout draw --shape 16,16 --from 'gl.BlockedLayout([1,4],[4,8],[4,1],[1,0])'", "tlayout threads 'gl.BlockedLayout([1,4],[4,8],[4,1],[1,0])' --tile 16,16"},
	{"tlayout threads 'gl.SwizzledSharedLayout(8,1,8,[1,0])' --tile 8,64", "tlayout draw --shape 8,64 --dtype float16 --from 'gl.SwizzledSharedLayout(8,1,8,[1,0])'"},
	{"tlayout plan x.npy y.npy --to nhwc", "tlayout plan x.npy --to nhwc"},
	{"tlayout diff x.npy", "tlayout diff x.npy y.npy"},
	{"tlayout diff - -", "tlayout diff x.npy -"},
	{"tlayout diff images other", "tlayout diff images/x.npy "},
	{"tlayout diff x.npy perm.npy", "tlayout convert perm.npy --from "},
	{"tlayout diff x.npy reread.npy", "tlayout convert reread.npy --from "},
	{"tlayout draw hw.npy --layouts '(2,3):(1,1)'", "tlayout draw hw.npy --from '(2,3):(1,1)'"},
	{"tlayout bench x.npy y.npy", "tlayout bench x.npy"},
	{"tlayout bench --quick --layouts bshd", "tlayout bench --quick --layouts nchw,nhwc"},
	{"tlayout bench --quick --require 'a.b.c.d >= 1'", "tlayout help gates"},
	{"tlayout bench --help", "tlayout help gates"},
	{"tlayout bench --from 'Sw<1,0,2> o (1,8,4,4):(128,16,4,1)'", "tlayout draw --from "},
	{"tlayout formats", "tlayout formats nhwc"},
	{"tlayout formats", "tlayout formats onednn"},
	{"tlayout formats nhwc --framework jax", "tlayout formats jax"},
	{"tlayout guess noise.bin --dtype f4", "tlayout inspect dump.bin --raw --shape 2,3,4,5 --dtype uint8 --allow-trailing"},
	{"tlayout formats --layout nhwc", "tlayout formats nhwc"},
	{"tlayout why x --strides 1", "tlayout inspect --shape 2,3,4,5 --strides 60,20,5,1"},
	{"tlayout offset --shape 4,8 --from nv12", "tlayout inspect --shape 4,8 --from nv12"},
	{"tlayout formats --all", "tlayout trace --cute '(6,2):(8,2)' 'composition((4,3):(3,1))'"},
	{"tlayout formats --all", "tlayout formats nChw16c --shape 1,62,5,4"},
	{"tlayout formats N C H W", "tlayout formats 'N C H W'"},
	{"tlayout formats x.npy", "tlayout inspect x.npy"},
	{"tlayout formats torch", "tlayout formats pytorch"},
	{"tlayout formats onedn", "tlayout formats onednn"},
	{"tlayout formats cudnn --shape 2,3,4,5", "tlayout formats nhwc --shape 2,3,4,5 --framework cudnn"},
	{"tlayout formats --dims B,T,H,D", "tlayout formats --shape 2,16,8,64 --dims B,T,H,D"},
	{"tlayout formats --shape '()'", "tlayout formats --shape 2,3,4,5"},
	{"tlayout offset x.npy 0,0,0,1:3", "tlayout trace SRC '[1:3]'"},
	{"tlayout trace x.npy", "tlayout trace x.npy 'transpose(0,1)' 'reshape(-1)'"},
	{"tlayout trace --shape 3,4", "tlayout trace --shape 3,4 'transpose(0,1)' 'reshape(-1)'"},
	{"tlayout trace --cute", "tlayout trace --cute '(4,2):(1,4)' coalesce"},
	{"tlayout trace --cute '(4,2):(1,4)'", "tlayout trace --cute '(4,2):(1,4)' coalesce"},
	{"tlayout guess", "tlayout guess dump.bin"},
	{"tlayout inspect run.trace", "tlayout graph run.trace"},
	{"tlayout inspect hlo.txt", "tlayout graph hlo.txt"},
	{"tlayout inspect hlo.txt", "tlayout 'f32[8,4]{0,1}'"},
	{"tlayout graph", "tlayout graph net.pt2"},
	{"tlayout graph net.pt2 --require 'flops == 0'", "tlayout help gates"},
	{"tlayout threads", "tlayout threads ldmatrix.x4"},
	{"tlayout threads mma ldmatrix", "tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8"},
	{"tlayout help json a b", "tlayout help json strides"},
	{"tlayout help json qqqqqq", "tlayout help json"},
	{"tlayout why some words", "tlayout why - < error.txt"},
	{"yes | head -c 1100000 | tlayout why -", "tail -n 50 log | tlayout why -"},
	{"tlayout diff x.npy y.npy --recipe r.json", "tlayout diff model.pt model.safetensors --recipe recipe.json"}, // the last two write .json files
	{"tlayout diff model.pt model.safetensors --recipe r.json; tlayout check model.pt --recipe r.json", "tlayout check model.safetensors --recipe r.json model.pt"},
}

// prose are words that follow a command's name in hints that name no command line.
var prose = []string{"lists", "shows", "explains", "computes", "counts", "has", "and"}

// TestHints: a command line that a hint names works, and hinted has every hint of the program that names one;
// TestWhyCommands runs those of why.
func TestHints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFixtures(t, dir)
	shell(t, dir, hintFiles)
	shown := ""
	const brief = "export TLAYOUT_CONFIG=bench.yaml; " // the environment of shell has no other variables
	for _, h := range hinted {
		answer := strings.ReplaceAll(shell(t, dir, brief+fromFile(h.typed)), " \\\n  ", " ") // lines that are continued
		shown += answer
		at := strings.Index(answer, h.named)
		if at < 0 {
			t.Errorf("%s: the answer does not name %s:\n%s", h.typed, h.named, answer)
			continue
		}
		line, _, _ := strings.Cut(answer[at:], "\n")
		if !strings.HasSuffix(h.named, " ") && !strings.HasSuffix(h.named, ":") { // otherwise hinted has the complete line
			line = h.named
		}
		line = strings.NewReplacer("SRC", "x.npy", "FOLDER", "images", "RESULTS", t.TempDir()).Replace(line)
		if out := shell(t, dir, brief+"rm -f *.nhwc.npy fixed.npy; "+fromFile(line)+"; [ $? -le 1 ] && echo works"); !strings.HasSuffix(out, "works\n") {
			t.Errorf("%s: the line that is named, %s, fails:\n%s", h.typed, line, out)
		}
	}
	for _, m := range whyMessages() {
		a, _ := diagnose.Read(m)
		shown += strings.Join(a.Commands, "\n") + "\n"
	}
	for _, hint := range hintsNamingLines(t) {
		pattern := regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(hint), `.*?`)
		if !regexp.MustCompile(pattern).MatchString(shown) {
			t.Errorf("nothing in hinted shows %q", hint)
		}
	}
}

// fromFile redirects standard input from a file, unless the line has a redirection.
func fromFile(line string) string {
	if strings.ContainsAny(line, "|<") {
		return line
	}
	return line + " < x.npy"
}

// hintFiles makes the files that hinted names.
const hintFiles = `rm layers*.json; tail -c 480 x.npy > noise.bin; mv tensors.json one.json; sed 's/"name":"/"name":"other./' one.json > two.json; echo '{}' > base.txt
tlayout convert x.npy y.nchw.npy --from nchw; cp x.npy y.npy; mkdir images; cp x.npy images
tlayout convert --raw --shape 2,3 --dtype u1 --skip 0 one.json hw.npy --to c --allow-trailing
mkdir other; cp hw.npy other/x.npy; tlayout convert x.npy --to nhwc -o perm.npy
tlayout convert x.npy --from '(2,3,20):(60,1,3)' --to c -o t.npy; tlayout convert t.npy --from '(2,3,4,5):(60,20,5,1)' --to c -o reread.npy
echo "view size is not compatible with input tensor's size and stride" | tee log > error.txt
gunzip -c trace.json.gz > run.trace
tlayout convert model.pt -o model.safetensors
printf 'bench:\n  patterns: channel\n  conversions: false\n  time: 50ms\n  quick: true\n' > bench.yaml`

// hintsNamingLines returns the string literals that name a command line of the program, except examples of help, which another test runs, and
// notes.
func hintsNamingLines(t *testing.T) (hints []string) {
	t.Helper()
	names := []string{"help"}
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		names = append(names, c.Name())
	}
	line := regexp.MustCompile("tlayout (-|(?:" + strings.Join(names, "|") + ") ([^ ;]+))")
	cli.Must(filepath.WalkDir("../../internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "inspect/notes.go") {
			return err
		}
		file := fixture.Must(parser.ParseFile(token.NewFileSet(), path, fixture.Must(os.ReadFile(path)), 0))
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.KeyValueExpr); ok {
				name, _ := field.Key.(*ast.Ident)
				return name == nil || name.Name != "Example"
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text := fixture.Must(strconv.Unquote(literal.Value))
			if m := line.FindStringSubmatch(text); m != nil && !strings.ContainsAny(text, "\n`") && !strings.HasPrefix(text, "  ") && !slices.Contains(prose, m[2]) {
				hints = append(hints, text)
			}
			return true
		})
		return nil
	}))
	if len(hints) < 40 {
		t.Errorf("%d hints found", len(hints))
	}
	return hints
}
