package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// npyParts is a .npy file before it is put together, so that each part may be made wrong.
type npyParts struct {
	magic        string
	major, minor byte
	descr        string   // Python's text
	items        []string // of the dictionary, without commas
	ends         string   // after the last item
	blanks       int      // before the last line end, beyond the padding to 64 bytes
	length       int      // added to the header's
	data         []byte
}

var arrayTypes = []string{"<f4", ">f4", "<f8", "|b1", "|u1", "<i2", "<c8", "<M8[s]", "|S3", "<U2", "|V5"}

// randomParts is a sound array of up to three dims.
func randomParts(d *rand.Rand) npyParts {
	name := arrayTypes[d.IntN(len(arrayTypes))]
	shape, n := make([]string, d.IntN(4)), must(dtype.Parse(name)).ItemSize()
	for i := range shape {
		size := d.IntN(5)
		shape[i] = fmt.Sprint(size, ",")
		n *= size
	}
	p := npyParts{magic: npy.Magic, major: 1, descr: "'" + name + "'", ends: ", }", data: randomBytes(d, n)}
	order := []string{"False", "False", "True"}[d.IntN(3)]
	p.items = []string{"'descr': " + p.descr, "'fortran_order': " + order, "'shape': (" + strings.Join(shape, " ") + ")"}
	if d.IntN(8) == 0 {
		p.major = byte(2 + d.IntN(2))
	}
	return p
}

// file puts the parts together.
func (p npyParts) file() []byte {
	text := "{" + strings.Join(p.items, ", ") + p.ends
	before := len(p.magic) + 2 + 2
	if p.major > 1 {
		before += 2
	}
	text += strings.Repeat(" ", p.blanks+(63-(before+len(text)+p.blanks)%64)) + "\n"
	out := append([]byte(p.magic), p.major, p.minor)
	if p.major > 1 {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(text)+p.length))
	} else {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(text)+p.length))
	}
	return append(append(out, text...), p.data...)
}

// oneOf picks one.
func oneOf[T any](d *rand.Rand, from ...T) T { return from[d.IntN(len(from))] }

// npyDamages are what is done to the parts of an array.
var npyDamages = map[string]func(d *rand.Rand, p *npyParts){
	"version": func(d *rand.Rand, p *npyParts) { p.major, p.minor = byte(d.IntN(5)), byte(d.IntN(3)) },
	"magic":   func(d *rand.Rand, p *npyParts) { p.magic = string(flipped(d, []byte(p.magic))) },
	"length": func(d *rand.Rand, p *npyParts) {
		p.length = oneOf(d, -1, 1, -64, 64, 1000, 1<<15, -d.IntN(100), d.IntN(100))
	},
	"data":       func(d *rand.Rand, p *npyParts) { p.data = randomBytes(d, d.IntN(60)) },
	"cut data":   func(d *rand.Rand, p *npyParts) { p.data = p.data[:d.IntN(len(p.data)+1)] },
	"more data":  func(d *rand.Rand, p *npyParts) { p.data = append(p.data, randomBytes(d, 1+d.IntN(20))...) },
	"big header": func(d *rand.Rand, p *npyParts) { p.major, p.blanks = 2, oneOf(d, 9000, 9850, 10100, 70000) },
	"type": func(d *rand.Rand, p *npyParts) {
		p.items[0] = "'descr': " + oneOf(d, "'|O'", "'O'", "'<f3'", "'<q9'", "None", "5", "''", "[]", "()", "'f4,i2'", "b'<f4'",
			"'float32'", "'<M8[25s]'",
			"'|S0'", "'|S-5'", "'|S4294967296'", "'<U4611686018427387904'", "'<U536870912'", "'>V7'", "'|b2'", "'<f16'", "'<c32'",
			"[('a', '<f4'), ('b', '>i2')]",
			"[('a', '<f4', (2, 3))]", "[('a', [('b', '|u1'), ('', '|V3')])]", "[(('title', 'a'), '<i8')]", "[('a', '|O')]",
			"[('a', '<f4'), ('a', '<f4')]",
			"[('a', '<f4', (-1,))]", "[('é', '<f4')]", "('<f4', (2,))", "{'names': ['a'], 'formats': ['<f4']}", "['<f4']", "'<f4",
			"__import__('os')")
	},
	"order": func(d *rand.Rand, p *npyParts) {
		p.items[1] = "'fortran_order': " + oneOf(d, "True", "False", "None", "1", "0", "'True'", "true", "(True,)", "not False")
	},
	"shape": func(d *rand.Rand, p *npyParts) {
		p.items[2] = "'shape': " + oneOf(d, "(-1,)", "(-6,)", "(-1, 3)", "(2, -1)", "(-1, -1)", "(0, -1)", "(2L, 3L)", "(2L,)", "(0L,)",
			"(2l,)", "()", "(,)", "(0,)", "(1)", "1",
			"None", "[2, 3]", "(2.0,)", "(2e0,)", "(True,)", "(1_0,)", "(0x2,)", "(0o2,)", "(00,)", "(007,)", "('2',)", "(2, 3", "2, 3)",
			"(2 3)", "(2,, 3)", "(+2,)",
			"(2*3,)", "((2, 3),)", "(9223372036854775807,)", "(9223372036854775808,)", "(99999999999999999999999,)", "(4611686018427387904, 4)",
			"(4294967296, 4294967296)", "(4294967296, 2147483648)", "(0, 9223372036854775807)", "(0, 4611686018427387904, 4)",
			"(0, 99999999999999999999)",
			"("+strings.Repeat("1,", 32+d.IntN(34))+")")
	},
	"commas": func(d *rand.Rand, p *npyParts) {
		p.ends = oneOf(d, "}", ",}", " }", ",, }", ", ", "", ")", "}}", ", };", ", } # a comment")
	},
	"missing comma": func(d *rand.Rand, p *npyParts) {
		i := d.IntN(2)
		p.items = slices.Replace(p.items, i, i+2, p.items[i]+" "+p.items[i+1])
	},
	"key order": func(d *rand.Rand, p *npyParts) {
		d.Shuffle(3, func(i, j int) { p.items[i], p.items[j] = p.items[j], p.items[i] })
	},
	"a key twice":   func(d *rand.Rand, p *npyParts) { p.items = append(p.items, p.items[d.IntN(3)]) },
	"a key missing": func(d *rand.Rand, p *npyParts) { p.items = slices.Delete(p.items, 0, 1+d.IntN(3)) },
	"a key more": func(d *rand.Rand, p *npyParts) {
		p.items = append(p.items, oneOf(d, "'more': 1", "'': ''", "1: 2", "'Shape': (2,)", "b'descr': '<f4'", "**{}"))
	},
	"quotes": func(d *rand.Rand, p *npyParts) {
		i, q := d.IntN(3), oneOf(d, `"`, "`", "", `"""`, "\u2019")
		p.items[i] = strings.ReplaceAll(p.items[i], "'", q)
	},
	"string prefix": func(d *rand.Rand, p *npyParts) {
		p.items[d.IntN(3)] = oneOf(d, "u", "U", "b", "r", "f", "ub") + p.items[d.IntN(3)]
	},
	"blanks": func(d *rand.Rand, p *npyParts) {
		i, b := d.IntN(3), oneOf(d, "  ", "\t", "\n", "\r\n", "\f", "\v", "\x00", "\xa0", "\u00a0", "\u3000", " \\\n")
		p.items[i] = oneOf(d, b+p.items[i], p.items[i]+b, strings.Replace(p.items[i], ": ", b+":"+b, 1), strings.Replace(p.items[i], ",",
			b+","+b, 1))
	},
	"unicode": func(d *rand.Rand, p *npyParts) {
		p.major = byte(1 + d.IntN(3))
		name := oneOf(d, "é", "數", "\xe9", "\xff", "\xed\xa0\x80", "\xf0\x9f\x98\x80", "\u202e", "a\x00", `\u00e9`, `\xe9`, `\N{BULLET}`,
			`\ud800`, `\q`)
		p.items[0] = "'descr': [('" + name + "', '<f4')]"
	},
}

// member is one of an archive before it is put together. Changes are made to both headers, unless only one is named.
type member struct {
	name            string
	content, packed []byte
	method, flags   uint16
	local, entry    func(header []byte) // change that header
}

// Bytes of both headers. Those of an entry are two further, because it begins with one more version.
const atFlags, atMethod, atCRC, atPacked, atSize = 6, 8, 14, 18, 22

// archiveOf puts members together. place changes where the directory says that a member begins.
func archiveOf(members []member, place func(i int, begins []int) int, comment string) []byte {
	var out, directory []byte
	var begins []int
	for _, m := range members {
		fixed := binary.LittleEndian.AppendUint16(nil, m.flags)
		fixed = binary.LittleEndian.AppendUint16(fixed, m.method)
		fixed = append(fixed, 0, 0, 33, 0) // 1980-01-01
		for _, n := range []uint32{crc32.ChecksumIEEE(m.content), uint32(len(m.packed)), uint32(len(m.content))} {
			fixed = binary.LittleEndian.AppendUint32(fixed, n)
		}
		fixed = binary.LittleEndian.AppendUint16(fixed, uint16(len(m.name)))
		begins = append(begins, len(out))
		header := slices.Concat([]byte("PK\x03\x04\x14\x00"), fixed, make([]byte, 2), []byte(m.name))
		entry := slices.Concat([]byte("PK\x01\x02\x14\x03\x14\x00"), fixed, make([]byte, 16), []byte(m.name))
		binary.LittleEndian.PutUint32(entry[42:], uint32(place(len(begins)-1, begins)))
		if m.local != nil {
			m.local(header)
		}
		if m.entry != nil {
			m.entry(entry[2:])
		}
		out = slices.Concat(out, header, m.packed)
		directory = append(directory, entry...)
	}
	at := len(out)
	out = append(append(out, directory...), "PK\x05\x06\x00\x00\x00\x00"...)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(members)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(members)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(directory)))
	out = binary.LittleEndian.AppendUint32(out, uint32(at))
	return append(binary.LittleEndian.AppendUint16(out, uint16(len(comment))), comment...)
}

// add16 and add32 return changes of a number of a header.
func add16(at int, n int) func([]byte) {
	return func(h []byte) { binary.LittleEndian.PutUint16(h[at:], binary.LittleEndian.Uint16(h[at:])+uint16(n)) }
}

func add32(at int, n int) func([]byte) {
	return func(h []byte) { binary.LittleEndian.PutUint32(h[at:], binary.LittleEndian.Uint32(h[at:])+uint32(n)) }
}

// in changes one header of the member, or both.
func in(d *rand.Rand, m *member, change func([]byte)) {
	switch d.IntN(3) {
	case 0:
		m.local = change
	case 1:
		m.entry = change
	default:
		m.local, m.entry = change, change
	}
}

// memberDamages are what is done to a member of an archive.
var memberDamages = map[string]func(d *rand.Rand, m *member){
	"name": func(d *rand.Rand, m *member) {
		m.name = oneOf(d, "", ".npy", "npy", "a", "x.txt", "x.NPY", "../x.npy", "/x.npy", `..\x.npy`, "C:x.npy", "CON.npy", "d/a.npy",
			"d/", "é.npy", "\xff.npy",
			"a.npy.npy", "a\x00b.npy", "\x1b[31m.npy", "a:b.npy", "*.npy", "[a].npy", "a b.npy", "\u202e.npy", strings.Repeat("n", 300)+".npy")
	},
	"UTF-8 name": func(d *rand.Rand, m *member) {
		m.name, m.flags = oneOf(d, "é.npy", "\xff.npy", "數.npy", "\xed\xa0\x80.npy"), 1<<11
	},
	"another name": func(d *rand.Rand, m *member) { in(d, m, func(h []byte) { h[len(h)-1-d.IntN(len(m.name))]++ }) },
	"checksum":     func(d *rand.Rand, m *member) { in(d, m, add32(atCRC, 1+d.IntN(5))) },
	"method":       func(d *rand.Rand, m *member) { in(d, m, add16(atMethod, oneOf(d, 1, 6, 8, -8, 9, 12, 14, 93, 95, 99))) },
	"flags": func(d *rand.Rand, m *member) {
		bit := 1 << d.IntN(16)
		in(d, m, func(h []byte) { add16(atFlags, bit)(h) })
	},
	"packed size": func(d *rand.Rand, m *member) {
		in(d, m, add32(atPacked, oneOf(d, -1, 1, 1<<20, -d.IntN(50), d.IntN(50))))
	},
	"size": func(d *rand.Rand, m *member) {
		in(d, m, add32(atSize, oneOf(d, -1, 1, 1<<20, -d.IntN(50), d.IntN(50))))
	},
	"zero sizes":     func(d *rand.Rand, m *member) { in(d, m, func(h []byte) { clear(h[atCRC : atSize+4]) }) },
	"a changed byte": func(d *rand.Rand, m *member) { m.packed = flipped(d, m.packed) },
	"cut content":    func(d *rand.Rand, m *member) { m.packed = m.packed[:d.IntN(len(m.packed))] },
	"no array":       func(d *rand.Rand, m *member) { m.content, m.packed, m.method = []byte("a text"), []byte("a text"), 0 },
}

func flipped(d *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[d.IntN(len(b))] ^= byte(1 << d.IntN(8))
	return b
}

// wholeDamages are what is done to any file as a whole.
var wholeDamages = map[string]func(d *rand.Rand, f []byte) []byte{
	"cut":             func(d *rand.Rand, f []byte) []byte { return f[:d.IntN(len(f))] },
	"bytes after it":  func(d *rand.Rand, f []byte) []byte { return append(f, randomBytes(d, 1+d.IntN(40))...) },
	"bytes before it": func(d *rand.Rand, f []byte) []byte { return append(randomBytes(d, 1+d.IntN(40)), f...) },
	"bytes removed": func(d *rand.Rand, f []byte) []byte {
		i := d.IntN(len(f))
		return slices.Delete(f, i, min(len(f), i+1+d.IntN(9)))
	},
	"twice": func(_ *rand.Rand, f []byte) []byte { return append(f, f...) },
	"tail":  func(d *rand.Rand, f []byte) []byte { return f[len(f)-min(len(f), 1+d.IntN(100)):] },
}

// archiveDamages are what is done to the end of an archive, or to any byte. In a .npy file, TestSingleBytesAgainstNumPy does that.
var archiveDamages = map[string]func(d *rand.Rand, f []byte) []byte{
	"a byte changed": flipped,
	"end": func(d *rand.Rand, f []byte) []byte {
		at := len(f) - 22 + oneOf(d, 4, 6, 8, 10, 12, 16, 20)
		f[at] += byte(oneOf(d, -1, 1, d.IntN(256)))
		return f
	},
}
