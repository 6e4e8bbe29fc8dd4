package nrrd

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

const scan = "NRRD0004\n# comment: x\ntype: short\ndimension: 2\nsizes: 3 2\nendian: big\nencoding: raw\nkey:=type: float\n"

// TestRules: fields in any case and spacing are read, keys and comments are not; what breaks the format is refused, and named.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		class    fault.Class
		text     string
	}{
		{"NRRD0004", "NRRX0004", fault.Malformed, "not an NRRD file"},
		{"type: short", "type: block", fault.Unsupported, "blocks of bytes"},
		{"type: short", "type: shirt", fault.Malformed, `its type is "shirt"`},
		{"endian: big\n", "", fault.Malformed, `its endian is ""`},
		{"dimension: 2", "dimension: 0", fault.Malformed, `its dimension is "0"`},
		{"dimension: 2", "dimension: 3", fault.Malformed, "2 sizes, 3 dims"},
		{"sizes: 3 2", "sizes: 3 -2", fault.Malformed, `the size of a dim is "-2"`},
		{"encoding: raw", "encoding: hex", fault.Unsupported, `its encoding is "hex"`},
		{"encoding: raw\n", "", fault.Malformed, "it has no encoding"},
		{"encoding: raw", "encoding: raw\nbyte skip: -2", fault.Malformed, "its byteskip is -2"},
		{"encoding: raw", "encoding: raw\nlineskip: 1", fault.Unsupported, "its lineskip is 1"},
		{"encoding: raw", "encoding: gzip\nbyte skip: -1", fault.Unsupported, "its byteskip is -1"},
		{"encoding: raw", "encoding: raw\ndata file: LIST", fault.Unsupported, "several files"},
		{"encoding: raw", "encoding: raw\ndatafile: x%03d.raw 1 9 1", fault.Unsupported, "several files"},
		{"encoding: raw", "encoding: raw\ndatafile: ../x.raw", fault.Unsupported, "not a path below"},
		{"encoding: raw", "encoding: raw\ndatafile: /etc/passwd", fault.Unsupported, "not a path below"},
	} {
		raw := strings.Replace(scan, c.from, c.to, 1) + "\n123456789012"
		_, err := Open(strings.NewReader(raw), int64(len(raw)))
		hostile.WantFault(t, c.to, err, c.class, c.text)
	}
	for end, at := range map[string]int64{"\n": int64(len(scan)) + 1, "BYTE skip: 4\n\n": int64(len(scan)) + 18, "byteskip: -1\n\n": -1, "\r\n": int64(len(scan)) + 2,
		"data file: x.raw\n": 0} {
		raw := scan + end
		a, err := Open(strings.NewReader(raw), int64(len(raw)))
		if err != nil || a.At != at || !slices.Equal(a.Shape, []int{3, 2}) || a.Type.Typestr() != ">i2" || !a.Fortran || (a.File != "") != (at == 0) {
			t.Errorf("%q: %+v, %v", end, a, err)
		}
	}
}

// TestKinds: colors, domains and time name dims, others do not.
func TestKinds(t *testing.T) {
	for kinds, want := range map[string]string{"domain domain": "XY", "RGB-color space domain": "CXY", "space space space time": "XYZT", "domain list": "",
		"domain": "", "": "", "domain domain domain domain": ""} {
		if got := strings.Join(dimsOf(strings.Fields(kinds), max(2, len(strings.Fields(kinds)))), ""); got != want {
			t.Errorf("%s: %q, expected %q", kinds, got, want)
		}
	}
}

// FuzzNRRD opens any text: a clean error, or a shape whose bytes fit 64 bits and a file below the folder.
func FuzzNRRD(f *testing.F) {
	f.Add(scan + "\n123456789012")
	f.Add(scan + "data file: x.raw\nbyte skip: 12\nkinds: domain domain\n")
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := Open(strings.NewReader(raw), int64(len(raw)))
		if err == nil {
			_, err = a.Bytes()
		}
		if err != nil {
			hostile.CheckError(t, err, 900)
			return
		}
		if a.At < -1 || strings.Contains(a.File, "..") && strings.HasPrefix(a.File, "..") {
			t.Errorf("%+v", a)
		}
	})
}
