package source

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// archives are what np.savez and np.savez_compressed wrote; their script says of what.
const archives = "../zip/testdata/"

// copiedArchive returns the path of a copy of an archive, in which one byte is another where at is not negative.
func copiedArchive(t *testing.T, name string, at int) string {
	t.Helper()
	content, err := os.ReadFile(archives + name)
	if err != nil {
		t.Fatal(err)
	}
	if at >= 0 {
		content[at] ^= 1
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func openMust(t *testing.T, name string, o Options) *Tensor {
	t.Helper()
	m, err := OpenOnly(named(name), o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() { m.Close() }) //nolint:errcheck // before the directory goes
	return m
}

// TestMember: both kinds of archives give the elements that NumPy put in; stored ones are the very bytes of the map.
func TestMember(t *testing.T) {
	var weight []byte
	for i := range 6 {
		weight, _ = binary.Append(weight, binary.LittleEndian, float32(i))
	}
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		path := copiedArchive(t, name, -1)
		m := openMust(t, path+":fc.weight", Options{})
		data, err := m.Data()
		if err != nil || !bytes.Equal(data, weight) || m.Trailing != 0 || m.Kind != "npz" || m.Member.Of != 3 || m.Member.Name != "fc.weight.npy" {
			t.Errorf("%s: %v, %+v, %v", name, data, m.Member, err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := m.Header.DataOffset
		mapped, err := m.file.Range(at, int64(len(data)))
		if name == "stored.npz" && (err != nil || &data[0] != &mapped[0] || !bytes.Equal(file[at:][:24], weight)) {
			t.Errorf("not mapped in place from byte %d on", at)
		}
		conv := openMust(t, path+":conv/w.npy", Options{})
		data, err = conv.Data()
		if err != nil || !conv.Header.Fortran || data[1] != 0 || data[3] != 12 || data[len(data)-1] != 23 {
			t.Errorf("%s: conv/w: %v, %v", name, data, err)
		}
		var disk [4]byte
		if err := conv.Read(disk[:], 44); err != nil || string(disk[:]) != string(data[44:]) {
			t.Errorf("%s: read %v from the disk, %v", name, disk, err)
		}
	}
}

// TestMemberDamaged: a stored member is opened without reading its data, and no data is handed out before its checksum
// was compared; a deflated one is compared when it is unpacked.
func TestMemberDamaged(t *testing.T) {
	path := copiedArchive(t, "stored.npz", int(openMust(t, archives+"stored.npz:same", Options{}).Header.DataOffset)+7)
	m := openMust(t, path+":same", Options{})
	for range 2 {
		_, err := m.Data()
		hostile.WantFault(t, "", err, fault.Malformed, `stored.npz:same": its bytes are damaged: checksum`, "damaged")
	}
	if _, err := openMust(t, path+":fc.weight", Options{}).Data(); err != nil {
		t.Errorf("another member: %v", err)
	}
	packed, err := os.ReadFile(archives + "deflated.npz")
	if err != nil {
		t.Fatal(err)
	}
	path = copiedArchive(t, "deflated.npz", bytes.Index(packed, []byte("conv/w"))-50)
	_, err = OpenOnly(named(path+":fc.weight"), Options{})
	hostile.WantFault(t, "", err, fault.Malformed, `deflated.npz:fc.weight"`)
	packed[14] ^= 1 // the checksum in the first header, and in the directory
	packed[bytes.Index(packed, []byte("PK\x01\x02"))+16] ^= 1
	if err := os.WriteFile(path, packed, 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m := openMust(t, path+":fc.weight", Options{})
		_, err = m.Data()
		hostile.WantFault(t, "", err, fault.Malformed, `deflated.npz:fc.weight": its bytes are damaged: checksum`)
		err = m.Scan(func(int64, []byte) bool { return false })
		hostile.WantFault(t, "", err, fault.Malformed, `deflated.npz:fc.weight": its bytes are damaged: checksum`)
	}
}

// TestMemberHeaderOnly: until the data is used, nothing is unpacked into a temporary file, for there is no folder for it; a
// scan needs none.
func TestMemberHeaderOnly(t *testing.T) {
	path := copiedArchive(t, "deflated.npz", -1)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "none"))
	}
	m := openMust(t, path+":fc.weight", Options{})
	if !m.HasData() || m.Header.DataBytes != 24 || m.Trailing != 0 || !m.Member.Deflated {
		t.Errorf("%+v, %+v", m.Header, m.Member)
	}
	_, err := m.Data()
	hostile.WantFault(t, "", err, fault.Resource, "cannot make a temporary file in", `deflated.npz:fc.weight"`)
	if err := m.Scan(func(int64, []byte) bool { return true }); err != nil {
		t.Error(err)
	}
	if stored := openMust(t, copiedArchive(t, "stored.npz", -1)+":same", Options{HeaderOnly: true}); !stored.HasData() {
		t.Error("a stored member needs no temporary file")
	}
}

// TestMemberChanged: an archive that is written to while a stored member is read is an error; the copy of a deflated one
// is past that, once it is made.
func TestMemberChanged(t *testing.T) {
	for name, class := range map[string]fault.Class{"stored.npz": fault.Resource, "deflated.npz": 0} {
		path := copiedArchive(t, name, -1)
		m, late := openMust(t, path+":same", Options{}), openMust(t, path+":same", Options{})
		if class == 0 {
			if _, err := m.Data(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		_, err := m.Data()
		if class == 0 && err != nil {
			t.Errorf("%s: %v", name, err)
		} else if class != 0 {
			hostile.WantFault(t, "", err, class, "input changed while reading")
		}
		_, err = late.Data()
		hostile.WantFault(t, "", err, fault.Resource, "input changed while reading")
	}
}

// TestArchiveNames: a file whose name looks like that of a member is opened as that file; a .npy file may be called
// x.npz; an archive alone is refused with the names in it.
func TestArchiveNames(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("no colons in names here")
	}
	path := copiedArchive(t, "stored.npz", -1)
	npy, err := os.ReadFile("../../../testdata/x.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path + ":same", filepath.Join(t.TempDir(), "y.npz")} {
		if err := os.WriteFile(name, npy, 0o666); err != nil {
			t.Fatal(err)
		}
		if m := openMust(t, name, Options{}); m.Kind != "npy" || m.Member != nil || len(m.FileShape) != 4 {
			t.Errorf("%s: %s %v", name, m.Kind, m.FileShape)
		}
	}
	_, err = OpenOnly(named(path), Options{})
	hostile.WantFault(t, "", err, fault.Usage, "is an archive; name one of its arrays")
	if hint := err.(*fault.Error).Hint; !strings.HasSuffix(hint, "stored.npz:fc.weight; the archive holds fc.weight, conv/w, same") {
		t.Error(hint)
	}
	_, err = OpenOnly(named(path+":"), Options{})
	hostile.WantFault(t, "", err, fault.Usage, `no array ""`)
	_, err = OpenOnly(named(filepath.Join(t.TempDir(), "none.npz:a")), Options{})
	hostile.WantFault(t, "", err, fault.Resource, "none.npz\": no such file")
}

// TestList: each member has its header, and where it lies.
func TestList(t *testing.T) {
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		list, err := openSet(t, archives+name).List(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Entries) != 3 || len(list.Warnings) != 0 {
			t.Fatalf("%s: %+v, %v", name, list, err)
		}
		for _, e := range list.Entries {
			m := openMust(t, archives+name+":"+e.Name, Options{})
			at := e.Header.DataOffset
			if !m.Member.Deflated {
				at += e.Offset
			}
			if e.Err != nil || !e.Array() || m.Header.DataOffset != at || m.Header.Descr != e.Descr || m.Header.DataBytes != e.DataBytes || m.Header.DType.String() != e.DType.String() {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// TestListMemory: an archive of very many arrays is listed in memory that follows its directory: no more than 500 bytes a
// member, of which the directory has some 70.
func TestListMemory(t *testing.T) {
	const members = 20_000
	npy, err := os.ReadFile("../../../testdata/row.npy")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for i := range members {
		m, err := w.CreateHeader(&zip.FileHeader{Name: "layer." + strconv.Itoa(i) + ".weight.npy", Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(npy); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := errors.Join(w.Close(), os.WriteFile(path, file.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	before := hostile.Live()
	list, err := openSet(t, path).List(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if used := (hostile.Live() - before) / members; used > 500 {
		t.Errorf("%d bytes a member", used)
	}
	if len(list.Entries) != members || list.Entries[0].Header != list.Entries[members-1].Header {
		t.Errorf("%d entries, whose headers are not shared", len(list.Entries))
	}
	runtime.KeepAlive(file)
}
