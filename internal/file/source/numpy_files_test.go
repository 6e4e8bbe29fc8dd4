package source

import (
	"bytes"
	"cmp"
	"compress/flate"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/text"
)

// difference is a class of files that one reader takes and the other one refuses. It is decided by the refusal, and for some by the
// name of the array.
type difference struct {
	why   string
	error *regexp.Regexp
	name  *regexp.Regexp // nil for any
	old   bool           // only of NumPy before 2.0
}

func refusal(error, why string) difference {
	return difference{why: why, error: regexp.MustCompile(error)}
}

// oldRefusal is a difference from NumPy 1.24, in which NumPy 2 does as this package.
func oldRefusal(error, why string) difference {
	return difference{why: why, error: regexp.MustCompile(error), old: true}
}

// refusedHere are files that NumPy reads, by our error. Those of headers are of the list in npy/differences_test.go.
var refusedHere = []difference{
	refusal(`two members have the name`, "two members of one name: NumPy takes the last one, other readers the first"),
	refusal(`the archive's end record claims \d+ bytes after it, there are \d+`,
		"bytes after an archive's end that are not its comment: a file that is two things"),
	refusal(`the directory has \d+ bytes from byte \d+ on`,
		"bytes before an archive, or between its directory and its end: a file that is two things"),
	refusal(`a multi-part archive`,
		"the end says that the archive has several parts, or counts its members in two ways; NumPy does not look"),
	refusal(`entry \d+ of the directory is broken`, "an entry of the directory that ends beyond it; NumPy does not look"),
	refusal(`overlaps ("|the directory)`, "members that overlap, as in an archive that unpacks to far more than it is"),
	refusal(`disagree about its size`, "a member's header and the directory say two sizes; NumPy reads the directory's"),
	refusal(`disagree about its checksum`, "a member's header and the directory say two checksums; NumPy reads the directory's"),
	refusal(`disagree about its method`, "a member's header and the directory say two methods or flags; NumPy reads the directory's"),
	refusal(`stored uncompressed, but has two sizes`, "a stored member with two sizes in the directory"),
	refusal(`cannot unpack to \d+: deflate.s best ratio`,
		"a size beyond what deflate can unpack to; NumPy reads no further than the array"),
	refusal(`the member unpacks to \d+ bytes, the directory has \d+`,
		"a member that unpacks to less than its size; NumPy reads no further than the array"),
	refusal(`the member unpacks to more than the \d+ bytes`, "a member that unpacks to more than its size; NumPy stops there"),
	refusal(`the descriptor after the member and the archive's directory disagree`,
		"a flag that says that a descriptor follows the member, where none does; NumPy does not look"),
	refusal(`the member is encrypted`, "the flag of an encrypted directory; NumPy does not look at it"),
	oldRefusal(`negative size`, "a negative size: NumPy 1.24 loads (-1,) and (-1, 3) as what there is"),
	refusal(`the key '\w+' appears twice`, "a key of the header twice: NumPy takes the last one"),
	refusal(`an unknown escape in a string`, "escapes that Python keeps as they are, and names of characters"),
	refusal(`an escape in a string that is not a character`, "half a surrogate pair"),
	refusal(`unexpected character '\\\\'`, "lines joined by a backslash outside strings"),
	refusal(`expected ':', found the string '(descr|fortran_order|shape)'`, "triple quotes"),
	refusal(`unsupported string prefix [rR]`, "raw strings"),
	refusal(`a number that is not a decimal integer`, "sizes in hexadecimal and octal, and 1_0"),
	refusal(`an integer with a leading zero`, "Python takes 00 for 0"),
	refusal(`unexpected character '\+'`, "a sign before a size"),
	oldRefusal(`descr: an element would exceed`, "an item size that wraps in a C int: NumPy 1.24 loads S4294967296 as S0"),
	oldRefusal(`unknown dtype "\|S-\d+"`, "a negative item size: NumPy 1.24 loads S-5 of no elements"),
	refusal(`a sub-array dtype in Fortran order`, "a sub-array dtype in Fortran order, whose layout a shape cannot say"),
}

// refusedThere are files that are read here, by NumPy's error.
var refusedThere = []difference{
	refusal(`^ValueError: Header info length \(\d+\) is large`, "a header of more than 10,000 characters; here the limit is 1 MiB"),
	oldRefusal(`^ValueError: maximum supported dimension for an ndarray is 32`, "33 to 64 dimensions, as NumPy 2 takes them"),
	refusal(`^UnicodeDecodeError: 'utf-8' codec can't decode byte`,
		"a member's name that is said to be UTF-8 and is not; here names are bytes"),
	refusal(`^NotImplementedError: zip file version`, "a version of zip that is only claimed to be needed"),
	{"a member whose name does not end in .npy, and that cannot be read, is no array here",
		regexp.MustCompile(`^BadZipFile: File name in directory`), regexp.MustCompile(`([^y]|[^p]y|[^n]py|[^.]npy)$`), false},
}

// Differences of arrays that both read.
const (
	cutSub   = "a sub-array dtype whose data is cut: NumPy counts its elements as arrays, so that half of them fit the shape"
	subArray = "a sub-array dtype: NumPy cannot give the array its shape, or drops that of empty ones; here its dims are the last ones"
	padding  = "bytes between the fields of a record in an archive: NumPy copies the fields and leaves these as they are in memory"
)

// TestFilesAgainstNumPy: random .npy files and archives of them, sound or damaged in every way of numpy_damage_test.go, hold what NumPy
// reads in them: the same names, types, shapes and elements, or both refuse; what differs is on the lists.
//
// TLAYOUT_TEST_NUMPY_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones.
func TestFilesAgainstNumPy(t *testing.T) {
	cases := random.Cases(t, "TLAYOUT_TEST_NUMPY_CASES", 2000)
	numpy := oracle.NumPy(t, "numpy_files.py")
	d := random.New(t)
	type asked struct {
		file   []byte
		damage string
	}
	queue := make(chan asked, 64)
	go func() {
		defer close(queue)
		defer numpy.Close()
		for range cases {
			file, damage := randomFile(d)
			if numpy.Ask(map[string][]byte{"file": file}) != nil {
				return
			}
			queue <- asked{file, damage}
		}
	}()
	dir := t.TempDir()
	compared, mismatches, read, listed, damages := 0, 0, 0, map[string]int{}, map[string]int{}
	for q := range queue {
		var theirs verdict
		if err := numpy.Read(&theirs); err != nil {
			t.Fatal(err)
		}
		ours := verdictOf(dir, q.file)
		why, same := compareVerdicts(ours, theirs)
		compared++
		damages[q.damage]++
		switch {
		case same && ours.reads():
			read++
		case same:
		case why != "":
			listed[why]++
		default:
			if mismatches++; mismatches <= 20 {
				t.Errorf("%s:\nhere  %+v\nNumPy %+v\n%q", q.damage, ours, theirs, q.file[:min(len(q.file), 400)])
			}
		}
	}
	t.Logf("%s: %d files, both read %d; %d reasons of differences: %v; %v", numpy.Version, compared, read, len(listed),
		listed, damages)
	if compared != cases || read < cases/10 {
		t.Errorf("%d of %d files were compared, both read %d", compared, cases, read)
	}
	if cases >= 100_000 { // so many have all differences
		for _, x := range slices.Concat(refusedHere, refusedThere, []difference{{why: subArray}, {why: padding}}) {
			if (listed[x.why] == 0) != (x.old && !numpy.Before("2")) {
				t.Errorf("a difference that occurs %d times: %s", listed[x.why], x.why)
			}
		}
	}
}

// verdict is what a reader says of a file.
type verdict struct {
	Error  string // of the file
	Arrays []arraySaid
}

// arraySaid is what a reader says of an array; its name is that of an archive's member in Latin-1, each byte a character.
type arraySaid struct {
	Name, DType, Error string
	Shape              []int
	CRC                uint32
	descr              string // only ours
}

// same reports whether both are read, and hold the same.
func (a arraySaid) same(b arraySaid) bool {
	return a.Error == "" && b.Error == "" && a.DType == b.DType && a.CRC == b.CRC && slices.Equal(a.Shape, b.Shape)
}

// reads reports whether all of the file can be read.
func (v verdict) reads() bool {
	return v.Error == "" && !slices.ContainsFunc(v.Arrays, func(a arraySaid) bool { return a.Error != "" })
}

// refuses reports whether nothing of the file can be read.
func (v verdict) refuses() bool {
	return v.Error != "" || len(v.Arrays) > 0 && !slices.ContainsFunc(v.Arrays, func(a arraySaid) bool { return a.Error == "" })
}

// compareVerdicts reports whether both say the same. If not, why is the reason on the lists, or nothing.
func compareVerdicts(ours, theirs verdict) (why string, same bool) {
	switch {
	case ours.refuses() && theirs.refuses():
		return "", true
	case ours.Error != "":
		return reasonOf(refusedHere, ours.Error, ""), false
	case theirs.Error != "" && len(ours.Arrays) == 1 && isSubArray(ours.Arrays[0], arraySaid{Error: theirs.Error}):
		return subArray, false
	case theirs.Error != "":
		return reasonOf(refusedThere, theirs.Error, ""), false
	}
	here, there := byName(ours), byName(theirs)
	for _, name := range slices.Sorted(maps.Keys(there)) {
		a, ok := here[name]
		delete(here, name)
		reason := ""
		switch b := there[name]; {
		case !ok && b.Error != "":
			reason = reasonOf(refusedThere, b.Error, name)
		case !ok:
			return "", false
		case a.Error == "" && isSubArray(a, b):
			reason = subArray
		case a.Error == "" && b.Error == "" && a.CRC != b.CRC && strings.Contains(a.descr, "('', '|V"):
			reason = padding
		case a.Error != "" && b.Error != "", a.same(b):
			continue
		case a.Error != "" && b.Error == "" && isCutSub(a.Error, b):
			reason = cutSub
		case a.Error != "" && b.Error == "":
			reason = reasonOf(refusedHere, a.Error, name)
		case a.Error == "" && b.Error != "":
			reason = reasonOf(refusedThere, b.Error, name)
		}
		if reason == "" {
			return "", false
		}
		why = cmp.Or(why, reason)
	}
	if len(here) > 0 { // what NumPy does not have
		return "", false
	}
	return why, why == ""
}

// reshapes is NumPy's error where it has read all elements, but cannot give them the header's shape; late is that of NumPy 2.5.
var (
	reshapes = regexp.MustCompile(`^ValueError: cannot reshape array of size (?<all>\d+) into shape \((?<shape>[\d,]*)\)`)
	late     = regexp.MustCompile(`^ValueError: .* Expected \((?<shape>[\d, ]*)\) = \d+ elements, could only read (?<all>\d+) elements`)
)

// isSubArray reports whether all that differs are the dims of a sub-array dtype, which in numpy_damage_test.go has one: NumPy has as
// many elements, and all dims but the last.
func isSubArray(ours, theirs arraySaid) bool {
	if len(ours.Shape) == 0 {
		return false
	}
	most := ours.Shape[:len(ours.Shape)-1]
	if theirs.Error == "" {
		return ints.Product(ours.Shape) == 0 && ours.DType == theirs.DType && slices.Equal(most, theirs.Shape)
	}
	for _, r := range []*regexp.Regexp{reshapes, late} {
		if m := r.FindStringSubmatch(theirs.Error); m != nil {
			shape := strings.TrimSuffix(strings.ReplaceAll(m[r.SubexpIndex("shape")], " ", ""), ",")
			return m[r.SubexpIndex("all")] == strconv.Itoa(ints.Product(ours.Shape)) && shape == text.Ints(most, ",")
		}
	}
	return false
}

// cutOff is our error for too few bytes.
var cutOff = regexp.MustCompile(`truncated data: (\d+) bytes expected after the header, (\d+) found`)

// isCutSub reports whether NumPy has all whole items that there are, half of what is expected here, of the sub-array dtype of
// numpy_damage_test.go, two float32.
func isCutSub(ours string, theirs arraySaid) bool {
	const item = 8
	m, read := cutOff.FindStringSubmatch(ours), 4*ints.Product(theirs.Shape)
	if m == nil || theirs.DType != "<f4" || m[1] != strconv.Itoa(2*read) {
		return false
	}
	found, err := strconv.Atoi(m[2])
	return err == nil && found/item*item == read
}

func byName(v verdict) map[string]arraySaid {
	arrays := map[string]arraySaid{}
	for _, a := range v.Arrays {
		arrays[a.Name] = a
	}
	return arrays
}

func reasonOf(list []difference, error, name string) string {
	for _, x := range list {
		if x.error.MatchString(error) && (x.name == nil || x.name.MatchString(name)) {
			return x.why
		}
	}
	return ""
}

// verdictOf reads the file here.
func verdictOf(dir string, file []byte) verdict {
	path := filepath.Join(dir, "x.npy")
	if len(file) > 0 && file[0] == 'P' {
		path = filepath.Join(dir, "x.npz")
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return verdict{Error: "test: " + err.Error()}
	}
	if filepath.Ext(path) == ".npy" {
		return verdict{Arrays: []arraySaid{arrayOf(path, "")}}
	}
	s, _, err := Open(named(path), Options{})
	if err != nil {
		return verdict{Error: err.Error()}
	}
	defer s.Close()
	var v verdict
	for _, x := range s.Tensors {
		v.Arrays = append(v.Arrays, arrayOf(path+":"+x.Name, x.Name+".npy"))
	}
	return v
}

// arrayOf reads an array here. Its name is that of the member, or if it is not read the given one.
func arrayOf(path, name string) (said arraySaid) {
	said = arraySaid{Name: latin1(name)}
	x, err := OpenOnly(named(path), Options{})
	if err != nil {
		said.Error = err.Error()
		return said
	}
	defer x.Close()
	if x.Member != nil {
		said.Name = latin1(x.Member.Name)
	}
	data, err := x.Data()
	if err != nil {
		said.Error = err.Error()
		return said
	}
	said.DType, said.Shape, said.CRC = x.Header.DType.Typestr(), x.FileShape, crc32.ChecksumIEEE(data)
	said.descr = x.Header.Descr
	return said
}

// latin1 makes each byte a character.
func latin1(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// randomFile is a .npy file or an archive of up to three, mostly damaged, and what was done to it.
func randomFile(d *rand.Rand) (file []byte, damage string) {
	if d.IntN(2) == 0 {
		p, damage := damagedParts(d)
		if damage != "none" || d.IntN(2) == 0 {
			return p.file(), damage
		}
		damage = oneOf(d, slices.Sorted(maps.Keys(wholeDamages))...)
		return wholeDamages[damage](d, p.file()), damage
	}
	return randomArchive(d)
}

// damagedParts are those of an array, in three cases of four damaged.
func damagedParts(d *rand.Rand) (p npyParts, damage string) {
	p, damage = randomParts(d), "none"
	if d.IntN(4) > 0 {
		damage = oneOf(d, slices.Sorted(maps.Keys(npyDamages))...)
		npyDamages[damage](d, &p)
	}
	return p, damage
}

// randomArchive is an archive that is damaged in one way: a member's array, a member, where members begin, or the whole.
func randomArchive(d *rand.Rand) (file []byte, damage string) {
	var members []member
	for i := range 1 + d.IntN(3) {
		members = append(members, member{name: "a" + strconv.Itoa(i) + ".npy", content: randomParts(d).file()})
	}
	one, kind := d.IntN(len(members)), d.IntN(8)
	if damage = "none"; kind == 0 {
		var p npyParts
		p, damage = damagedParts(d)
		members[one].content = p.file()
	}
	for i := range members {
		if members[i].packed = members[i].content; d.IntN(2) == 0 {
			members[i].method, members[i].packed = 8, deflated(members[i].content)
		}
	}
	place, comment := func(i int, begins []int) int { return begins[i] }, ""
	switch kind {
	case 1, 2, 3:
		damage = oneOf(d, slices.Sorted(maps.Keys(memberDamages))...)
		memberDamages[damage](d, &members[one])
	case 4:
		damage = "members that overlap"
		place = func(i int, begins []int) int { return begins[d.IntN(i+1)] + oneOf(d, 0, 0, 1, d.IntN(100)) }
	case 5:
		damage, comment = "a comment", string(randomBytes(d, d.IntN(30)))
		if d.IntN(2) == 0 && len(members) > 1 {
			damage, members[len(members)-1].name = "a member twice", members[0].name
		}
	}
	file = archiveOf(members, place, comment)
	switch {
	case kind == 6:
		damage = oneOf(d, slices.Sorted(maps.Keys(wholeDamages))...)
		file = wholeDamages[damage](d, file)
	case kind == 7:
		damage = oneOf(d, slices.Sorted(maps.Keys(archiveDamages))...)
		file = archiveDamages[damage](d, file)
	}
	return file, "in an archive: " + damage
}

func deflated(content []byte) []byte {
	var out bytes.Buffer
	w := must(flate.NewWriter(&out, 6))
	must(w.Write(content))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func randomBytes(d *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
