package source

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/promise"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/npy"
)

// damages are what is done to a file, and what NumPy and this package may say differently of it, with the reason: NumPy reads it, and
// our error is this one. Where there is none they agree: both refuse the file, or both read the same.
var damages = []struct {
	name    string
	archive bool // of archives only
	do      func(d *rand.Rand, file []byte) []byte
	why     string
	error   *regexp.Regexp
}{
	{name: "none", do: func(_ *rand.Rand, f []byte) []byte { return f }},
	{name: "cut", do: func(d *rand.Rand, f []byte) []byte { return f[:d.IntN(len(f))] },
		why: "an empty array that is cut loses nothing", error: nil},
	{name: "bytes after it", do: func(d *rand.Rand, f []byte) []byte { return append(f, randomBytes(d, 1+d.IntN(40))...) },
		why: "bytes after an archive that its end does not call a comment", error: regexp.MustCompile(`bytes follow it`)},
	{name: "a byte changed", do: func(d *rand.Rand, f []byte) []byte { f[d.IntN(len(f))] ^= byte(1 << d.IntN(8)); return f },
		why: "what contradicts another part of the archive is refused, not guessed", error: regexp.MustCompile(`.`)},
	{name: "bytes before it", archive: true, do: func(d *rand.Rand, f []byte) []byte { return append(randomBytes(d, 1+d.IntN(40)), f...) },
		why: "a program that unpacks itself is not an array", error: regexp.MustCompile(`.`)},
	{name: "a member twice", archive: true, do: func(d *rand.Rand, f []byte) []byte {
		return rewritten(f, func(names []string) { names[len(names)-1] = names[0] })
	},
		why: "two members of a name: NumPy takes the last one", error: regexp.MustCompile(`twice|two members|same name|duplicate`)},
}

// TestFilesAgainstNumPy: random .npy files and archives of them, whole or damaged, hold what NumPy reads in them: the same arrays,
// element by element, or both refuse; what differs has its reason in damages.
//
// TLAYOUT_TEST_NUMPY_CASES sets how many, TLAYOUT_TEST_SEED which ones.
func TestFilesAgainstNumPy(t *testing.T) {
	cases, seed := envNumber(t, "TLAYOUT_TEST_NUMPY_CASES", 2000), envNumber(t, "TLAYOUT_TEST_SEED", 1)
	cases = min(cases, 200_000)
	numpy := oracle.NumPy(t, "numpy_files.py")
	d := rand.New(rand.NewPCG(uint64(seed), 3))
	type asked struct {
		file   []byte
		damage int
	}
	queue := make(chan asked, 64)
	go func() {
		defer close(queue)
		defer numpy.Close()
		for range cases {
			q := asked{randomFile(d), d.IntN(len(damages))}
			if damages[q.damage].archive && q.file[0] != 'P' {
				q.damage = 0
			}
			q.file = damages[q.damage].do(d, q.file)
			if numpy.Ask(map[string][]byte{"file": q.file}) != nil {
				return
			}
			queue <- q
		}
	}()
	dir := t.TempDir()
	agreed, explained, compared := 0, map[string]int{}, 0
	for q := range queue {
		var theirs verdict
		if err := numpy.Read(&theirs); err != nil {
			t.Fatal(err)
		}
		compared++
		ours := verdictOf(dir, q.file)
		damage := damages[q.damage]
		switch {
		case ours.Error == "" && theirs.Error == "" && slices.EqualFunc(ours.Arrays, theirs.Arrays, sameArray), ours.Error != "" && theirs.Error != "":
			agreed++
		case theirs.Error == "" && ours.Error != "" && damage.error != nil && damage.error.MatchString(ours.Error):
			explained[damage.why]++
		case ours.Error == "" && damage.name == "a byte changed" && notArray.MatchString(theirs.Error):
			explained["NumPy refuses: a member whose name does not end in .npy, which is no array here; a version of zip that is said to be needed"]++
		default:
			t.Errorf("%s:\nhere  %+v\nNumPy %+v\n%q", damage.name, ours, theirs, q.file[:min(len(q.file), 400)])
		}
		if t.Failed() && compared > 3000 {
			break
		}
	}
	t.Logf("%s, seed %d: %d files, %d agreed; NumPy alone reads %v", numpy.Version, seed, compared, agreed, explained)
	promise.Tried(t, "W1/files", compared, 0)
}

// notArray is NumPy's refusal of a member that is no array here, or of a version of zip that is only claimed to be needed.
var notArray = regexp.MustCompile(`File name in directory '[^']*([^.]npy|[.][^n]py|[.]n[^p]y|[.]np[^y])'|^NotImplementedError: zip file version`)

// verdict is what a reader says of a file.
type verdict struct {
	Arrays []arraySaid
	Error  string
}

type arraySaid struct {
	Name, DType string
	Shape       []int
	CRC         uint32
}

func sameArray(a, b arraySaid) bool {
	return a.Name == b.Name && a.DType == b.DType && a.CRC == b.CRC && slices.Equal(a.Shape, b.Shape)
}

// verdictOf reads the file here.
func verdictOf(dir string, file []byte) (v verdict) {
	path := filepath.Join(dir, "x.npy")
	if len(file) > 0 && file[0] == 'P' {
		path = filepath.Join(dir, "x.npz")
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return verdict{Error: "test: " + err.Error()}
	}
	names := []string{path}
	if filepath.Ext(path) == ".npz" {
		var err error
		if names, err = Expand(path); err != nil {
			return verdict{Error: err.Error()}
		}
		if x, err := Open(path, Options{}); err == nil {
			x.Close()
		} else if strings.Contains(err.Error(), "is an archive") && names[0] == path {
			names = []string{path + ":a0"} // two of one name
		}
	}
	for _, name := range names {
		said, err := arrayOf(name)
		if err != nil {
			return verdict{Error: err.Error()}
		}
		v.Arrays = append(v.Arrays, said)
	}
	return v
}

func arrayOf(name string) (said arraySaid, err error) {
	x, err := Open(name, Options{})
	if err != nil {
		return said, err
	}
	defer x.Close()
	data, err := x.Data()
	if err != nil {
		return said, err
	}
	said = arraySaid{DType: x.Header.DType.Typestr(), Shape: x.FileShape, CRC: crc32.ChecksumIEEE(data)}
	if x.Member != nil {
		said.Name = x.Member.Name[:len(x.Member.Name)-len(".npy")]
	}
	return said, nil
}

// randomFile is a .npy file or an archive of up to three.
func randomFile(d *rand.Rand) []byte {
	if d.IntN(2) == 0 {
		return randomArray(d)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range 1 + d.IntN(3) {
		h := &zip.FileHeader{Name: "a" + strconv.Itoa(i) + ".npy", Method: uint16(8 * d.IntN(2))}
		content := randomArray(d)
		if h.Method == 0 && d.IntN(2) == 0 { // sizes in the local header, as NumPy writes them
			h.CRC32, h.CompressedSize64, h.UncompressedSize64 = crc32.ChecksumIEEE(content), uint64(len(content)), uint64(len(content))
			must(must(w.CreateRaw(h)).Write(content))
			continue
		}
		must(must(w.CreateHeader(h)).Write(content))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

var numpyTypes = []string{"<f4", ">f4", "<f8", "|b1", "|u1", "<i2", "<c8", "<M8[s]", "|S3", "<U2", "|V5"}

func randomArray(d *rand.Rand) []byte {
	typ := must(dtype.Parse(numpyTypes[d.IntN(len(numpyTypes))]))
	shape, n := make([]int, d.IntN(4)), typ.ItemSize()
	for i := range shape {
		shape[i] = d.IntN(5)
		n *= shape[i]
	}
	return append(must(npy.AppendHeader(nil, typ, d.IntN(3) == 0, shape)), randomBytes(d, n)...)
}

func randomBytes(d *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32() & 1) // also for bools and characters
	}
	return b
}

// rewritten changes the names in the directory of an archive, and in the headers of its members.
func rewritten(file []byte, change func(names []string)) []byte {
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(r.File) < 2 {
		return file
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	old := slices.Clone(names)
	change(names)
	for i := range names {
		file = bytes.ReplaceAll(file, []byte(old[i]), []byte(names[i]))
	}
	return file
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func envNumber(t *testing.T, name string, normal int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return normal
	}
	return must(strconv.Atoi(text))
}
