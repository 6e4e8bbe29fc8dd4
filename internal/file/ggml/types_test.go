package ggml

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestWitnesses: of every type, thousands of random blocks have the values that ggml, and the package gguf of PyPI where it
// has the type, compute of them, bit for bit. testdata/blocks.py wrote the digests.
func TestWitnesses(t *testing.T) {
	file, err := os.Open("testdata/blocks.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen, values := map[string]string{}, map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		kind, n, want := Find(words[1]), number(t, words[2]), words[3]
		if values[kind.Name] == "" {
			values[kind.Name] = digest(kind, n)
		}
		if values[kind.Name] != want {
			t.Errorf("%s: values are not those of %s", kind.Name, words[0])
		}
		seen[kind.Name] += words[0] + " "
	}
	for i := range types {
		// No function of ggml dequantizes q8_1, which no file has.
		if x := types[i]; x.Name != "q8_1" && !strings.Contains(seen[x.Name], "ggml") {
			t.Errorf("%s has no witness", x.Name)
		}
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// digest is the digest of the values of n blocks, as blocks.py computes it.
func digest(kind *Type, n int) string {
	var raw []byte
	for i := 0; len(raw) < n*kind.Bytes; i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind.Name, i))
		raw = append(raw, sum[:]...)
	}
	all := sha256.New()
	var values bytes.Buffer
	for i := range n {
		values.Reset()
		for k := range kind.Values {
			bits := math.Float32bits(kind.Decode(raw[i*kind.Bytes:], k).Value)
			if bits&math.MaxInt32 > 0x7f800000 {
				bits = 0x7fc00000
			}
			values.Write(binary.LittleEndian.AppendUint32(nil, bits))
		}
		all.Write(values.Bytes())
	}
	return hex.EncodeToString(all.Sum(nil))
}
