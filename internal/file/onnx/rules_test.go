package onnx

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// sample is a model of a tensor in each kind of place.
func sample() []byte {
	graph := message{}.Bytes(1, node("Constant", "c", "value", 5, tensorOf("inner", 3, 2).Bytes(9, []byte{1, 0xff}))).
		Bytes(1, node("If", "y", "then_branch", 6, graphOf(tensorOf("w", 2).Bytes(9, []byte{7})))).
		Bytes(1, node("Switch", "z", "cases", 11, graphOf(tensorOf("w", 2, 0)))).
		Bytes(5, tensorOf("raw", 1, 1, 2).Bytes(9, []byte("abcdefgh"))).
		Bytes(5, tensorOf("float", 1, 2).Bytes(4, []byte("ABCDEFGH"))).
		Bytes(5, tensorOf("long", 7, 2).Packed(7, 1, 1<<64-2)).
		Bytes(5, tensorOf("nibbles", 22, 3).Packed(5, 0x21, 0xf3)).
		Bytes(5, tensorOf("far", 11, 2).Outside("location", "w/x.bin", "offset", "64", "length", "16", "checksum", "0")).
		Bytes(15, message{}.Bytes(1, tensorOf("sparse", 1, 1).Bytes(9, make([]byte, 4))))
	return modelOf(graph).Bytes(8, message{}.Number(2, 18)).Bytes(14, message{}.Text(1, "author").Text(2, "me"))
}

// TestSample: tensors of initializers, of Constant nodes and of bodies have their names, types, shapes and elements, and metadata is kept.
func TestSample(t *testing.T) {
	raw := sample()
	c, err := open(raw)
	if err != nil {
		t.Fatal(err)
	}
	want := `c int8 [2] 01ff
y.then_branch.w uint8 [] 07
z.cases.w uint8 [0]
raw float32 [1 2] 6162636465666768
float float32 [2] 4142434445464748
long int64 [2] 0100000000000000feffffffffffffff
nibbles int4 [3] 21f3
far float64 [2] w/x.bin 64+16
sparse refused: it is sparse: values and their indices`
	if got := list(c, raw); got != want {
		t.Errorf("%s", got)
	}
	if got := fmt.Sprint(c.Metadata); got != "[{ir_version 10} {producer_name test} {opset_import ai.onnx 18} {author me}]" {
		t.Error(got)
	}
	if c.Storages[3].Inline || c.Storages[4].Inline || !c.Storages[5].Inline {
		t.Errorf("floats in one piece are in the file, varints are not: %+v", c.Storages)
	}
	if !Recognize(bytes.NewReader(raw), int64(len(raw))) {
		t.Error("it is not recognized")
	}
}

// TestRules: each rule of TensorProto, by a tensor that keeps it and is listed, or breaks it and is refused or malformed.
func TestRules(t *testing.T) {
	four := []byte{1, 2, 3, 4}
	for _, c := range []struct {
		what   string
		tensor message
		want   string // the line of a listed or refused tensor, or a part of the error
	}{
		{"dims one by one", message{}.Number(1, 1).Number(1, 4).Number(2, 2).Text(8, "t").Bytes(9, four), "t uint8 [1 4] 01020304"},
		{"a scalar", tensorOf("t", 6).Bytes(9, four), "t int32 [] 01020304"},
		{"no elements", tensorOf("t", 1, 3, 0), "t float32 [3 0]"},
		{"no elements, in raw_data", tensorOf("t", 1, 3, 0).Bytes(9, nil), "t float32 [3 0]"},
		{"an empty field beside raw_data", tensorOf("t", 2, 4).Bytes(9, four).Bytes(5, nil), "t uint8 [4] 01020304"},
		{"the last name and type count", tensorOf("a", 1, 4).Number(2, 3).Text(8, "t").Bytes(9, four), "t int8 [4] 01020304"},
		{"fields of other types are unknown ones", tensorOf("t", 2, 4).Text(2, "x").Number(8, 1).Number(9, 1).Bytes(9, four), "t uint8 [4] 01020304"},
		{"floats one by one", tensorOf("t", 1, 2).Floats(4, 1, -2), "t float32 [2] 0000803f000000c0"},
		{"floats in two pieces", tensorOf("t", 1, 2).Bytes(4, four).Bytes(4, four), "t float32 [2] 0102030401020304"},
		{"float16 as numbers", tensorOf("t", 10, 2).Packed(5, 0x3c00, 1<<64-1), "t float16 [2] 003cffff"},
		{"numbers one by one", tensorOf("t", 9, 2).Number(5, 1).Number(5, 0), "t bool [2] 0100"},
		{"two bits", tensorOf("t", 25, 5).Bytes(9, []byte{0xe4, 2}), "t uint2 [5] e402"},
		{"equal external data", tensorOf("t", 2, 4).Outside("location", "./x"), "t uint8 [4] x 0+4"},
		{"a length of zero", tensorOf("t", 2, 4).Outside("location", "x", "length", "0"), "t uint8 [4] x 0+4"},

		{"texts", tensorOf("t", 8, 1).Text(6, "x"), "t refused: its elements are texts"},
		{"no type", tensorOf("t", 0, 1), "t refused: it has no type"},
		{"six bits", tensorOf("t", 27, 4).Bytes(9, []byte{1, 2, 3}), "t refused: elements of FLOAT6E2M3 have 6 bits, which cross bytes"},
		{"a type of later versions", tensorOf("t", 99, 1), "t refused: its type 99 does not exist in ONNX 1.23"},
		{"a segment", tensorOf("t", 2, 4).Bytes(3, nil).Bytes(9, four), "t refused: it is a segment of a tensor"},
		{"65 dims", tensorOf("t", 2, make([]uint64, 65)...), "t refused: rank 65 is over the limit of 64 dims"},

		{"a negative size", tensorOf("t", 2, 1<<64-1), "dim 0 is negative: -1"},
		{"2⁶³ bytes", tensorOf("t", 2, 1<<62, 2), "overflows 64 bits"},
		{"2⁶⁴ elements", tensorOf("t", 2, 1<<62, 4), "overflows 64 bits"},
		{"2⁶⁴ elements beside none", tensorOf("t", 2, 0, 1<<62, 4), "overflows 64 bits"},
		{"no data", tensorOf("t", 2, 4), "it has no elements, its shape 4 bytes"},
		{"few bytes", tensorOf("t", 6, 2).Bytes(9, four), "its shape has 8 bytes, raw_data 4"},
		{"many bytes", tensorOf("t", 2, 3).Bytes(9, four), "its shape has 3 bytes, raw_data 4"},
		{"few numbers", tensorOf("t", 7, 2).Packed(7, 1), "its shape has 16 bytes, int64_data 8"},
		{"many numbers", tensorOf("t", 7, 2).Packed(7, 1, 2, 3), "its shape has 16 bytes, int64_data more"},
		{"many floats", tensorOf("t", 1, 1).Floats(4, 1, 2), "its shape has 4 bytes, float_data more"},
		{"half a float", tensorOf("t", 1, 1).Bytes(4, []byte{1, 2}), "its shape has 4 bytes, float_data 2"},
		{"a number that is cut", tensorOf("t", 7, 1).Bytes(7, []byte{0x80}), "begins no number"},
		{"two fields", tensorOf("t", 2, 4).Bytes(9, four).Packed(5, 1, 2, 3, 4), "its elements are in 2 fields"},
		{"another field", tensorOf("t", 1, 1).Packed(7, 1), "its elements are in int64_data, those of float32 should be in float_data or raw_data"},
		{"external and raw", tensorOf("t", 2, 4).Bytes(9, four).Outside("location", "x"), "both external data and raw_data"},
		{"no location", tensorOf("t", 2, 4).Outside("offset", "1"), "have no location"},
		{"another length", tensorOf("t", 2, 4).Outside("location", "x", "length", "5"), "its shape has 4 bytes, its external data 5"},
		{"an offset below zero", tensorOf("t", 2, 4).Outside("location", "x", "offset", "-1"), `offset of its external data is "-1"`},
		{"an offset that is no number", tensorOf("t", 2, 4).Outside("location", "x", "offset", "1e3"), `is "1e3", not a number`},
		{"an offset of 2⁶³−1", tensorOf("t", 2, 4).Outside("location", "x", "offset", "9223372036854775807"), "end after byte 2⁶³"},
	} {
		raw := modelOf(graphOf(c.tensor))
		got, err := open(raw)
		if err != nil {
			if !hostile.WantFault(t, c.what, err, fault.Malformed, "tensor ", c.want) {
				continue
			}
			hostile.CheckError(t, err, 500)
			continue
		}
		if line := list(got, raw); line != c.want {
			t.Errorf("%s: %s, expected %s", c.what, line, c.want)
		}
	}
}

// TestLocations: external data are below the model's folder, whatever the system that reads them.
func TestLocations(t *testing.T) {
	for _, location := range []string{"../x", "a/../../x", "/etc/passwd", "C:x", `..\x`, `a\b`, "x:y", "..", "a\x00b", "//host/x", strings.Repeat("a/", 2049) + "x"} {
		_, err := open(modelOf(graphOf(tensorOf("t", 2, 4).Outside("location", location))))
		hostile.WantFault(t, location, err, fault.Malformed, "tensor \"t\"")
		hostile.CheckError(t, err, 500)
	}
}

// TestApart: tensors may have the same external data, or data one behind the other, but not some bytes of others.
func TestApart(t *testing.T) {
	at := func(name, file, offset string) message {
		return tensorOf(name, 2, 4).Outside("location", file, "offset", offset)
	}
	c, err := open(modelOf(graphOf(at("a", "x", "0"), at("b", "x", "4"), at("c", "x", "0"), at("d", "y", "2"), at("e", "./x", "4"))))
	if err != nil || len(c.Storages) != 3 || c.Tensors[2].Storage != 0 || c.Tensors[4].Storage != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = open(modelOf(graphOf(at("a", "x", "0"), at("b", "x", "3"))))
	hostile.WantFault(t, "an overlap", err, fault.Malformed, `tensor "b": its external data overlap those of "a"`)
	var many []message
	for i := range maxFiles + 1 {
		many = append(many, at(fmt.Sprint(i), fmt.Sprint("f", i), "0"))
	}
	_, err = open(modelOf(graphOf(many...)))
	hostile.WantFault(t, "files", err, fault.Unsupported, "4097 files")
	if _, err := open(modelOf(graphOf(many[:maxFiles]...))); err != nil {
		t.Error(err)
	}
}

// TestModels: what is around the tensors: graphs within graphs to a bound, one graph, names that differ.
func TestModels(t *testing.T) {
	nested := func(n int) message {
		g := graphOf(tensorOf("w", 2).Bytes(9, []byte{1}))
		for range n {
			g = message{}.Bytes(1, node("Loop", "o", "body", 6, g))
		}
		return g
	}
	c, err := open(modelOf(nested(3)))
	if err != nil || c.Tensors[0].Name != "o.body.o.body.o.body.w" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := open(modelOf(nested(maxDepth))); err != nil {
		t.Error(err)
	}
	w := tensorOf("w", 2).Bytes(9, []byte{1})
	for what, c := range map[string]struct {
		raw   message
		class fault.Class
		text  string
	}{
		"too deep":       {modelOf(nested(maxDepth + 1)), fault.Unsupported, "nested deeper than 33"},
		"no graph":       {message{}.Number(1, 8), fault.Malformed, "it has no graph"},
		"two graphs":     {modelOf(graphOf(w)).Bytes(7, graphOf()), fault.Malformed, "two graphs"},
		"two names":      {modelOf(graphOf(w, w)), fault.Malformed, `two tensors have the name "w"`},
		"a constant too": {modelOf(message{}.Bytes(1, node("Constant", "w", "value", 5, w)).Bytes(5, w)), fault.Malformed, `two tensors have the name "w"`},
		"a sparse one":   {modelOf(graphOf(w).Bytes(15, message{}.Bytes(1, w))), fault.Malformed, `two tensors have the name "w"`},
		"a long name":    {modelOf(graphOf(tensorOf(strings.Repeat("n", 1<<16+1), 2, 0))), fault.Unsupported, "one of more than 65536 bytes"},
	} {
		_, err := open(c.raw)
		hostile.WantFault(t, what, err, c.class, c.text)
	}
	for what, m := range map[string]message{"another operator": node("Identity", "w", "value", 5, w), "another attribute": node("Constant", "w", "value_x", 5, w)} {
		c, err := open(modelOf(message{}.Bytes(1, m)))
		if err != nil || len(c.Tensors) > 0 {
			t.Errorf("%s: %+v, %v", what, c, err)
		}
	}
}

// TestRecognize: a message that is no model, or only a part of one, is not recognized.
func TestRecognize(t *testing.T) {
	whole := sample()
	for what, raw := range map[string][]byte{
		"nothing": {}, "no version": message{}.Bytes(7, nil), "no graph": message{}.Number(1, 7), "a version of 0": message{}.Number(1, 0).Bytes(7, nil),
		"a version of 1000": message{}.Number(1, 1000).Bytes(7, nil), "another field": modelOf(nil).Number(9, 1), "a text for a graph": message{}.Number(1, 7).Number(7, 1),
		"a byte more": append(bytes.Clone(whole), 0), "a byte less": whole[:len(whole)-1], "zeros": make([]byte, 100),
	} {
		if Recognize(bytes.NewReader(raw), int64(len(raw))) {
			t.Errorf("%s is a model", what)
		}
	}
}
