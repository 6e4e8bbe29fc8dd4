package zip

import (
	"bytes"
	"hash/crc32"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
)

// plain are two members as any writer makes them.
func plain() []file {
	return []file{{name: "a.npy", content: "first content"}, {name: "b.npy", content: strings.Repeat("second ", 40), deflate: true}}
}

// changed is plain with a change of the second member, or of the first where it must be stored.
func changed(i int, change func(f *file)) []byte {
	files := plain()
	change(&files[i])
	return build("", files...)
}

// TestHostile: what would make two readers see two archives, or one reader see what nobody packed, is refused, and says
// why. That archive/zip accepts many of these is why it is not used.
func TestHostile(t *testing.T) {
	whole := build("", plain()...)
	roomy := changed(1, func(f *file) { f.more = make([]byte, 80) })
	far := changed(1, func(f *file) { // a name so long that what is left of the largest number wraps around
		f.name, f.entry, f.more = strings.Repeat("n", 60000), set(42, 255, 255, 255, 255), zip64(math.MaxInt64)
	})
	malformed, unsupported := fault.Malformed, fault.Unsupported
	saturated := set(18, 255, 255, 255, 255, 255, 255, 255, 255)
	for _, c := range []struct {
		name    string
		archive []byte
		class   fault.Class
		text    string
	}{
		{"nothing", nil, malformed, "not a .npz file"},
		{"a .npy", []byte("\x93NUMPY\x01\x00"), malformed, `starts with "\x93NUM"`},
		{"cut off", whole[:len(whole)-1], malformed, "directory at the end of the archive is missing"},
		{"bytes behind the end", append(bytes.Clone(whole), 0), malformed, "claims 0 bytes after it, there are 1"},
		{"bytes before the start", append([]byte("PK\x03\x04"), whole...), malformed, "but must end at byte"},
		{"several parts", patch(whole, len(whole)-18, 1), unsupported, "a multi-part archive"},
		{"more members than there are", patch(whole, len(whole)-14, 3, 0, 3), malformed, "too small for 3 members"},
		{"one member too many", patch(roomy, len(roomy)-14, 3, 0, 3), malformed, "entry 3 of the directory is broken"},
		{"fewer members", patch(whole, len(whole)-14, 1, 0, 1), malformed, "has 51 bytes after its 1 members"},
		{"far more members", patch(whole, len(whole)-14, 9, 9, 9, 9), malformed, "too small for 2313 members"},
		{"directory elsewhere", patch(whole, len(whole)-6, 1), malformed, "but must end at byte"},
		{"broken entry", changed(1, func(f *file) { f.entry = set(0, 'Q') }), malformed, "entry 2 of the directory is broken"},
		{"entry with a long name", changed(1, func(f *file) { f.entry = set(29, 1) }), malformed, "entry 2 of the directory is broken"},
		{"the same place", changed(1, func(f *file) { f.at = -48 }), malformed, "overlaps"},
		{"one byte too long", changed(0, func(f *file) { f.entry = both(add(20, 1), add(24, 1)) }), malformed, `"a.npy" overlaps "b.npy"`},
		{"into the directory", changed(1, func(f *file) { f.entry = add(20, 1) }), malformed, `"b.npy" overlaps the directory`},
		{"in the directory", changed(1, func(f *file) { f.at = 40 }), malformed, "overlaps the directory"},
		{"behind the end", changed(1, func(f *file) { f.at = 1 << 20 }), malformed, "overlaps the directory"},
		{"at the end of all numbers", finish(far[:48], far[bytes.Index(far, []byte(entryMagic)):len(far)-endSize], 2, ""), malformed, "overlaps"},
		{"behind all numbers", changed(1, func(f *file) { f.entry, f.more = set(42, 255, 255, 255, 255), zip64(math.MaxInt64+1) }), malformed, "entry 2"},
		{"padded header", changed(0, func(f *file) { f.local = set(28, 9) }), malformed, "where the next part begins"},
		{"no header there", changed(1, func(f *file) { f.local = set(0, 'Q') }), malformed, "where no member begins"},
		{"another name", changed(0, func(f *file) { f.local = set(30, 'z') }), malformed, "disagree about its name"},
		{"a shorter name", changed(0, func(f *file) { f.local = set(26, 4) }), malformed, "disagree about its name"},
		{"another method", changed(0, func(f *file) { f.local = set(8, 8) }), malformed, "disagree about its method"},
		{"secretly encrypted", changed(0, func(f *file) { f.local = set(6, 1) }), malformed, "disagree about its method"},
		{"another size", changed(1, func(f *file) { f.local = add(22, 1) }), malformed, "disagree about its size"},
		{"another packed size", changed(1, func(f *file) { f.local = add(18, -1) }), malformed, "disagree about its size"},
		{"zero sizes, not streamed", changed(1, func(f *file) { f.local = set(18, make([]byte, 8)...) }), malformed, "disagree about its size"},
		{"another checksum", changed(1, func(f *file) { f.local = add(14, 1) }), malformed, "disagree about its checksum"},
		{"a wide header without width", changed(1, func(f *file) { f.local = saturated }), malformed, "disagree about its size"},
		{"a wide header too short", changed(1, func(f *file) { f.local, f.extra = saturated, zip64(280) }), malformed, "disagree about its size"},
		{"a wide header that lies", changed(1, func(f *file) { f.local, f.extra = saturated, zip64(281, 18) }), malformed, "disagree about its size"},
		{"encrypted", changed(0, func(f *file) { f.flags = 1 }), unsupported, "encrypted"},
		{"strongly encrypted", changed(0, func(f *file) { f.flags = 1 << 6 }), unsupported, "encrypted"},
		{"a patch", changed(0, func(f *file) { f.flags = 1 << 5 }), unsupported, "unsupported compression: stored"},
		{"lzma", changed(0, func(f *file) { f.method = 14 }), unsupported, "lzma"},
		{"an unknown method", changed(0, func(f *file) { f.method = 777 }), unsupported, "method 777"},
		{"stored with two sizes", changed(0, func(f *file) { f.entry = add(24, 1) }), malformed, "two sizes"},
		{"a bomb beyond deflate", changed(1, func(f *file) { f.entry = add(24, 1<<20) }), malformed, "1032"},
		{"unpacks to more", changed(1, func(f *file) { f.entry, f.local = add(24, -1), add(22, -1) }), malformed, "more than the 279 bytes"},
		{"unpacks to less", changed(1, func(f *file) { f.entry, f.local = add(24, 1), add(22, 1) }), malformed, "unpacks to 280 bytes, the directory has 281"},
		{"ends too early", changed(1, func(f *file) { f.entry, f.local = add(20, -4), add(18, -4) }), malformed, "the directory has 280"},
		{"other bytes", changed(0, func(f *file) { f.entry, f.local = add(16, 1), add(14, 1) }), malformed, "damaged"},
		{"no deflate", changed(1, func(f *file) { f.deflate, f.method = false, Deflated }), malformed, "damaged"},
		{"checksum zero", changed(0, func(f *file) { f.entry, f.local = set(16, 0, 0, 0, 0), set(14, 0, 0, 0, 0) }), malformed, "damaged"},
		{"two of a name", build("", plain()[0], plain()[1], plain()[0]), malformed, `two members have the name "a.npy"`},
	} {
		_, err := contents(c.archive)
		hostile.WantFault(t, c.name, err, c.class, c.text)
	}
}

// TestUnusual: what writers other than NumPy do, and is sound, is read: comments, data descriptors, gaps, 64-bit numbers
// where 32 bits would do, members in another order than the directory's.
func TestUnusual(t *testing.T) {
	want := map[string]string{"a.npy": "first content", "b.npy": strings.Repeat("second ", 40)}
	streamed := func(f *file) {
		f.flags, f.local, f.behind = 8, set(14, make([]byte, 12)...), descriptor(want["b.npy"], true, false)
	}
	packed := uint64(len(deflated(want["b.npy"])))
	for name, archive := range map[string][]byte{
		"plain":                     build("", plain()...),
		"comment":                   build("what is this", plain()...),
		"streamed":                  changed(1, streamed),
		"streamed, wide":            changed(1, func(f *file) { streamed(f); f.behind = descriptor(want["b.npy"], true, true) }),
		"streamed, unsigned":        changed(1, func(f *file) { streamed(f); f.behind = descriptor(want["b.npy"], false, false) }),
		"streamed, but sizes known": changed(1, func(f *file) { f.flags, f.behind = 8, descriptor(want["b.npy"], true, false) }),
		"gap":                       changed(0, func(f *file) { f.behind = "gap" }),
		"extra":                     changed(0, func(f *file) { f.extra, f.more = []byte{9, 9, 1, 0, 7}, []byte{8, 8, 0, 0} }),
		"wide header": changed(1, func(f *file) {
			f.local, f.extra = set(18, bytes.Repeat([]byte{255}, 8)...), zip64(280, packed)
		}),
		"wide entry": changed(1, func(f *file) {
			f.entry, f.more = both(set(20, bytes.Repeat([]byte{255}, 8)...), set(42, 255, 255, 255, 255)), zip64(280, packed, 48)
		}),
		"wide end": widened(build("", plain()...), 0, 0),
	} {
		got, err := contents(archive)
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, archive := range map[string][]byte{
		"64-bit end that lies": widened(build("", plain()...), 40, 1),
		"64-bit end misplaced": widened(build("", plain()...), 56+8, 1),
		"64-bit end broken":    widened(build("", plain()...), 4, 1),
	} {
		_, err := contents(archive)
		hostile.WantFault(t, name, err, fault.Malformed, "64-bit end")
	}
}

// descriptor follows a deflated member that was written before its sizes were known.
func descriptor(content string, signed, wide bool) string {
	d := le.AppendUint32(nil, crc32.ChecksumIEEE([]byte(content)))
	for _, n := range []int{len(deflated(content)), len(content)} {
		if wide {
			d = le.AppendUint64(d, uint64(n))
		} else {
			d = le.AppendUint32(d, uint32(n))
		}
	}
	if signed {
		return descriptorMagic + string(d)
	}
	return string(d)
}

// TestDescriptor: what follows a streamed member must be its descriptor, every byte of it; what its header says although it need not must
// be true.
func TestDescriptor(t *testing.T) {
	content := strings.Repeat("second ", 40)
	good := descriptor(content, true, false)
	streamed := func(behind string) []byte {
		return changed(1, func(f *file) { f.flags, f.local, f.behind = 8, set(14, make([]byte, 12)...), behind })
	}
	for what, local := range map[string]func([]byte){"checksum": set(14, 1, 0, 0, 0), "size": set(18, 1, 0, 0, 0), "the other size": set(22, 1, 0, 0, 0)} {
		clear := set(14, make([]byte, 12)...)
		_, err := contents(changed(1, func(f *file) { f.flags, f.local, f.behind = 8, both(clear, local), good }))
		hostile.WantFault(t, "another "+what+" before the content", err, fault.Malformed, "the archive's directory disagree about its "+map[bool]string{true: "checksum", false: "size"}[what == "checksum"])
	}
	for n := range good {
		_, err := contents(streamed(good[:n]))
		hostile.WantFault(t, "cut off", err, fault.Malformed, "descriptor")
		_, err = contents(streamed(good[:n] + "!" + good[n+1:]))
		hostile.WantFault(t, "changed", err, fault.Malformed, "descriptor")
	}
	_, err := contents(streamed(good))
	if err != nil {
		t.Error(err)
	}
}

// TestSound: an archive in which a byte before the directory is in no member, or two members have one name, is not sound;
// descriptors and padding in extra fields belong to their member.
func TestSound(t *testing.T) {
	content := strings.Repeat("second ", 40)
	streamed := func(wide bool) []byte {
		return changed(1, func(f *file) {
			f.flags, f.local, f.behind = 8, set(14, make([]byte, 12)...), descriptor(content, true, wide)
			f.extra = []byte("FB\x04\x00ZZZZ") // the padding of PyTorch, caffe2/serialize/inline_container.cc
		})
	}
	padded := build("", append(plain(), file{})...)
	for _, c := range []struct {
		name    string
		archive []byte
		text    string // of the error; empty for none
	}{
		{"plain", build("", plain()...), ""},
		{"empty", build(""), ""},
		{"streamed", streamed(false), ""},
		{"streamed, wide", streamed(true), ""},
		{"gap", changed(0, func(f *file) { f.behind = "gap" }), "3 bytes at byte 48 of the archive belong to no member"},
		{"gap at the end", changed(1, func(f *file) { f.behind = "!" }), "1 bytes at byte"},
		{"first not listed", unlisted(padded), "48 bytes at byte 0"},
		{"two of a name", build("", plain()[0], plain()[1], plain()[0]), "two members have the name"},
		{"broken member", changed(0, func(f *file) { f.local = set(30, 'z') }), `"a.npy": the member's header`},
	} {
		a, err := open(c.archive)
		if err != nil {
			t.Fatal(c.name, err)
		}
		switch err := a.Sound(); {
		case c.text != "":
			hostile.WantFault(t, c.name, err, fault.Malformed, c.text)
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// unlisted takes the first member out of the directory, and leaves it in the file.
func unlisted(archive []byte) []byte {
	at := bytes.Index(archive, []byte(entryMagic))
	rest := archive[at:]
	n := entrySize + len("a.npy")
	end := len(rest) - endSize
	return finish(bytes.Clone(archive[:at]), rest[n:end], 2, "")
}

// widened puts a 64-bit end and its locator before the end, and adds n to their byte at.
func widened(archive []byte, at int, n byte) []byte {
	last := archive[len(archive)-endSize:]
	out := bytes.Clone(archive[:len(archive)-endSize])
	begins := len(out)
	out = append(out, end64Magic...)
	out = le.AppendUint64(out, end64Size-12)
	out = append(out, make([]byte, 12)...)
	for _, x := range []uint64{uint64(le.Uint16(last[8:])), uint64(le.Uint16(last[10:])), uint64(le.Uint32(last[12:])), uint64(le.Uint32(last[16:]))} {
		out = le.AppendUint64(out, x)
	}
	out = append(append(out, locatorMagic...), 0, 0, 0, 0)
	out = le.AppendUint32(le.AppendUint64(out, uint64(begins)), 1)
	out[begins+at] += n
	end := bytes.Clone(last)
	le.PutUint32(end[16:], math.MaxUint32)
	return append(out, end...)
}

func patch(archive []byte, at int, bytes ...byte) []byte {
	out := append([]byte{}, archive...)
	copy(out[at:], bytes)
	return out
}

func both(changes ...func([]byte)) func([]byte) {
	return func(header []byte) {
		for _, c := range changes {
			c(header)
		}
	}
}

// TestDamage: every archive cut short is refused, and an archive of which one bit is another is refused, or holds the
// same as before: the bits that mean nothing to us are dates, versions and attributes.
func TestDamage(t *testing.T) {
	files := append(plain(), file{name: "c.npy"})
	whole := build("a comment", files...)
	want, err := contents(whole)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := contents(whole[:n]); fault.ClassOf(err) != fault.Malformed {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	same := 0
	for bit := range 8 * len(whole) {
		got, err := contents(patch(whole, bit/8, whole[bit/8]^1<<(bit%8)))
		switch {
		case err == nil && maps.Equal(got, want):
			same++
		case err == nil:
			t.Errorf("bit %d: %q", bit, got)
		case fault.ClassOf(err) == fault.Resource:
			t.Errorf("bit %d: %v", bit, err)
		}
	}
	if same == 0 || same > 4*len(whole) {
		t.Errorf("%d of %d bits mean nothing", same, 8*len(whole))
	}
}
