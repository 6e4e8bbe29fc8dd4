package main

import (
	"encoding/csv"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// tabulated are commands whose CSV has rows, of every kind; X and Y are files, Z is an archive.
var tabulated = []string{
	"inspect X", "inspect X Y", "inspect X --explain", "inspect X --offsets --limit 2", "inspect X Y --storage --limit 2", "inspect Z", "inspect model.pt",
	"inspect --shape 2,3,4 --storage", "check X --packed", "check X --accepted-by numpy,tensorrt", "convert X --to nhwc --dry-run",
	"convert X --to nchw4 --dry-run", "convert model.pt -o m.safetensors --force", "convert Z --to c --dry-run", "plan X --to nhwc", "plan X --to nchw", "plan --shared --shape 32,32 --read columns --write w:16", "bench X --quick --patterns channel --conversions=false",
	"trace X T", "trace X T --values --limit 2", "offset X 0,0,0,0", "offset X --at 3", "offset X 0,0,0,0 --line-size 64", "diff X Y", "diff X W", "diff Z Z",
	"formats", "formats nhwc", "formats --shape 2,3 --strides 1,2", "formats --framework mnn", "draw X", "draw X -o x.svg --force", "version",
	"convert X Y --to nhwc -d many --update", "why", "guess dump.bin", "graph net.pt2", "threads", "threads ((4,8),(2,2)):((32,1),(16,8)) --tile 16,8",
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// csvAlone are columns that JSON has no names for: the subject of a row, dims of tensors, keys of an object.
var csvAlone = []string{"side", "box", "line", "memory", "memory_count", "h", "w", "miss_per_elem_l1", "miss_per_elem_l2", "miss_per_elem_l3"}

// tabulatedArgs returns the arguments of a command of tabulated.
func tabulatedArgs(command string) []string {
	return strings.Fields(strings.NewReplacer(" X", " x.npy", " Y", " y.npy", " W", " w.npy", " E", " e.npy", " Z", " z.npz").Replace(command))
}

// writeTabulated writes the files that the commands name into a new working folder.
func writeTabulated(t *testing.T) {
	t.Helper()
	weights, model := fixture.Must(os.ReadFile("../../testdata/weights.npz")), fixture.Must(os.ReadFile("../../testdata/model.pt"))
	dump := fixtures["dump.bin"]()
	net := fixture.Must(os.ReadFile("../../testdata/net.pt2"))
	t.Chdir(t.TempDir())
	content := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	other := slices.Clone(content)
	other[len(other)-1] ^= 1
	for name, data := range map[string][]byte{"x.npy": content, "y.npy": content, "w.npy": other, "z.npz": weights, "model.pt": model, "dump.bin": dump, "net.pt2": net, "e.npy": fixture.Must(fixture.Npy("<c8", []int{2, 0, 4, 5}, false))} {
		cli.Must(os.WriteFile(name, data, 0o644))
	}
}

// TestCSVHeaders: the header of every command's CSV has unique lower-case identifiers, which are names of JSON, or several joined, and every
// row has as many cells. A command that tabulated lacks fails the test.
func TestCSVHeaders(t *testing.T) {
	writeTabulated(t)
	v, _ := readVocabulary()
	tested := map[string]bool{"help": true, "completion": true}
	for _, command := range tabulated {
		args := tabulatedArgs(command)
		tested[args[0]] = true
		o := runIn(t, nil, append(args, "-f", "csv")...)
		rows, err := csv.NewReader(strings.NewReader(o.out)).ReadAll()
		if o.code > 1 || err != nil || len(rows) == 0 {
			t.Errorf("tlayout %s: exit code %d, %v\n%s%s", command, o.code, err, o.out, o.err)
			continue
		}
		seen := map[string]bool{}
		for _, name := range rows[0] {
			if !identifier.MatchString(name) || seen[name] {
				t.Errorf("tlayout %s -f csv: column %q of %q", command, name, rows[0])
			}
			if !v.joins(name) && !slices.Contains(csvAlone, name) {
				t.Errorf("tlayout %s -f csv: column %q is no name of JSON", command, name)
			}
			seen[name] = true
		}
	}
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		if !tested[c.Name()] && c.Runnable() && !c.Hidden {
			t.Errorf("the CSV of %s is not tested", c.Name())
		}
	}
}
