package pt2

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/need"
)

// TestProgram: views of members have their strides and offsets, names that share a member share a storage, and constants follow weights.
func TestProgram(t *testing.T) {
	raw := archived(t, member{"p/data/weights/weight_0", "abcdefgh"}, member{"p/data/weights/weight_1", ""}, member{"p/data/constants/tensor_0", "xy"},
		member{"p/data/weights/model_weights_config.json", `{"more": [1, {}], "config": {` + entry("w", "weight_0", 28, "2 2", "1 2", 0) + "," +
			entry("part", "weight_0", 1, "2", "3", 1) + "," + entry("scalar", "weight_0", 7, "", "", 1) + "," + entry("none", "weight_1", 5, "3 0", "1 1", 7) + `}}`},
		member{"p/data/constants/model_constants_config.json", `{"config": {"object": {"path_name": "custom_obj_0", "is_param": false, "use_pickle": true,
			"tensor_meta": null}, ` + entry("c", "tensor_0", 2, "1 2", "9 1", 0) + `}}`})
	c, err := open(raw)
	if err != nil {
		t.Fatal(err)
	}
	want := `w uint16 [2 2] [1 2]+0 of weight_0 6162656663646768
part uint8 [2] [3]+1 of weight_0 6265
scalar float32 [] []+1 of weight_0 65666768
none int64 [3 0] [1 1]+7 of weight_1 
c int8 [1 2] [9 1]+0 of tensor_0 7879`
	if got := list(t, c, raw); got != want {
		t.Errorf("%s", got)
	}
	if len(c.Storages) != 3 || c.Storages[0].Device != "cpu" || c.Format != checkpoint.PT2 {
		t.Errorf("%+v", c)
	}
}

// TestRules: an entry that breaks a rule is refused or malformed.
func TestRules(t *testing.T) {
	w := entry("t", "weight_0", 1, "4", "1", 0)
	for _, c := range []struct{ what, entry, want string }{
		{"a type of other versions", entry("t", "weight_0", 99, "4", "1", 0), "t refused: its type is number 99, which does not exist in torch/_export/serde/schema.py of PyTorch 2.15"},
		{"type 0", entry("t", "weight_0", 0, "4", "1", 0), "t refused: its type is number 0, which does not exist in torch/_export/serde/schema.py of PyTorch 2.15"},
		{"a sparse one", strings.Replace(w, `"layout": 7`, `"layout": 1`, 1), "t refused: its layout is not strided: number 1 of torch/_export/serde/schema.py"},
		{"an expression", strings.Replace(w, `"sizes": [{"as_int": 4}]`, `"sizes": [{"as_expr": {"expr_str": "s0"}}]`, 1), "t refused: a size, a stride or the offset is an expression"},
		{"65 dims", entry("t", "weight_0", 1, strings.Repeat("1 ", 65), strings.Repeat("1 ", 65), 0), "t refused: rank 65 is over the limit of 64 dims"},
		{"2⁶⁴ elements", entry("t", "weight_0", 1, "9223372036854775807 9", "0 0", 0), "t refused: shape (9223372036854775807, 9) overflows a 64-bit address"},
		{"no bytes", entry("t", "weight_1", 1, "4", "1", 0), "t refused: the program was saved without its elements"},

		{"one byte more", entry("t", "weight_0", 1, "4", "1", 1), "its last element is element 4 of a member of 4"},
		{"a wide type", entry("t", "weight_0", 7, "2", "1", 0), "its last element is element 1 of a member of 1"},
		{"a part of an element", entry("t", "weight_0", 8, "1", "1", 0), "its last element is element 0 of a member of 0"},
		{"2⁶⁴ elements on", entry("t", "weight_0", 1, "3", "9223372036854775807", 0), "its last element is element 18446744073709551614 of"},
		{"beyond all addresses", entry("t", "weight_0", 1, "3 3", "9223372036854775807 9223372036854775807", 0), "beyond all addresses"},
		{"a negative stride", entry("t", "weight_0", 1, "4", "-1", 3), "negative: -1"},
		{"a size of 2⁶³", entry("t", "weight_0", 1, "9223372036854775808", "1", 0), "is a JSON"},
		{"few strides", entry("t", "weight_0", 1, "4 1", "1", 0), "2 sizes and 1 strides"},
		{"no member", entry("t", "weight_9", 1, "4", "1", 0), `no member "p/data/weights/weight_9"`},
		{"another folder", entry("t", "../../byteorder", 1, "4", "1", 0), "no member"},
		{"two names", w + "," + w, `two tensors have the name "t"`},
		{"no meta", `"t": {"path_name": "weight_0", "use_pickle": false, "tensor_meta": null}`, "it has no tensor_meta"},
		{"a text for a number", strings.Replace(w, `"dtype": 1`, `"dtype": "x"`, 1), "is a JSON"},
		{"a list for an entry", `"t": []`, "is a JSON"},
		{"no JSON", `"t": {"path_name" `, "is not JSON at byte"},
		{"JSON that ends", `"t": {"path_name": "`, "its JSON ends too early"},
		{"a pickle that is none", `"t": {"path_name": "weight_0", "use_pickle": true, "tensor_meta": {}}`, "not a PyTorch checkpoint"},
	} {
		if strconv.IntSize < 64 && strings.Contains(c.entry, "9223372036854775807") {
			continue // the number itself is too large
		}
		raw := program(t, c.entry, "abcd", "")
		got, err := open(raw)
		if err != nil {
			hostile.WantFault(t, c.what, err, fault.Malformed, c.want)
			hostile.CheckError(t, err, 500)
			continue
		}
		if line := list(t, got, raw); line != c.want {
			t.Errorf("%s: %s, expected %s", c.what, line, c.want)
		}
	}
}

// TestTypes: the numbers of types are those of ScalarType in torch/_export/serde/schema.py of PyTorch 2.15, of little-endian elements.
func TestTypes(t *testing.T) {
	names := map[int]string{1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 9: "complex32",
		10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16", 29: "float8_e4m3fn", 30: "float8_e5m2", 31: "float8_e4m3fnuz",
		32: "float8_e5m2fnuz", 33: "float8_e8m0fnu", 34: "uint32", 35: "uint64"}
	if len(names) != len(types) {
		t.Errorf("%d types, expected %d", len(types), len(names))
	}
	for number, name := range names {
		d, why := typeOf(&meta{DType: number, Layout: strided})
		if d.String() != name || why != "" {
			t.Errorf("%d is %s, expected %s; %s", number, d, name, why)
		}
	}
}

// TestArchives: what is around the entries: JSON to its end, byte order, several models, compressed members.
func TestArchives(t *testing.T) {
	const path = "p/data/weights/model_weights_config.json"
	w := entry("t", "weight_0", 1, "4", "1", 0)
	weight := member{"p/data/weights/weight_0", "abcd"}
	for what, c := range map[string]struct {
		members []member
		class   fault.Class
		text    string
	}{
		"no list":         {[]member{weight}, fault.Malformed, "no list of weights"},
		"nothing":         {[]member{weight, {path, ""}}, fault.Malformed, "ends too early"},
		"a list":          {[]member{weight, {path, "[]"}}, fault.Malformed, "not a JSON object"},
		"no config":       {[]member{weight, {path, "{}"}}, fault.Malformed, "it has no config"},
		"a config of 1":   {[]member{weight, {path, `{"config": 1}`}}, fault.Malformed, "not a JSON object"},
		"bytes behind":    {[]member{weight, {path, `{"config": {}} x`}}, fault.Malformed, "bytes follow"},
		"cut":             {[]member{weight, {path, `{"config": {}`}}, fault.Malformed, "ends too early"},
		"big-endian":      {[]member{weight, {path, `{"config": {` + w + `}}`}, {"p/byteorder", "big"}}, fault.Unsupported, "big-endian"},
		"the same member": {[]member{weight, weight, {path, `{"config": {` + w + `}}`}}, fault.Malformed, "two members have the name"},
	} {
		_, err := open(archived(t, c.members...))
		hostile.WantFault(t, what, err, c.class, c.text)
	}
	config := `{"config": {` + w + `}}`
	raw := archived(t, weight, member{"p/data/weights/a_weights_config.json", config}, member{"p/data/weights/b_weights_config.json", config})
	c, err := open(raw)
	if err != nil || list(t, c, raw) != "a.t uint8 [4] [1]+0 of weight_0 61626364\nb.t uint8 [4] [1]+0 of weight_0 61626364" || len(c.Storages) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSaved: tensors of members that torch.save wrote are those that torch reads of them alone, at other places; one that is pickled alone has the name
// of its entry.
func TestSaved(t *testing.T) {
	plain, err := os.ReadFile("../../../testdata/checkpoints/views.pt")
	need.Made(t, err)
	alone, err := torch.Open(strings.NewReader(string(plain)), int64(len(plain)), checkpoint.DefaultLimit)
	need.Made(t, err)
	want := list(t, alone, plain)
	for _, name := range []string{"p/data/weights/model.pt", "p/data/constants/model.pt", "serialized_state_dict.pt", "serialized_state_dict.json"} {
		raw := archived(t, member{strings.TrimSuffix(name, "model.pt") + "other", "x"}, member{name, string(plain)})
		c, err := open(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := list(t, c, raw); got != want || len(alone.Tensors) < 3 {
			t.Errorf("%s: %s\nexpected %s", name, got, want)
		}
	}
	raw := archived(t, member{"p/data/weights/model.pt", string(plain)}, member{"p/data/constants/model.pt", string(plain)})
	_, err = open(raw)
	hostile.WantFault(t, "the same names", err, fault.Malformed, "two tensors have the name")

	raw = program(t, `"t": {"path_name": "weight_0", "use_pickle": true, "tensor_meta": {}}`, string(plain))
	c, err := open(raw)
	if err != nil || len(c.Tensors) != 0 || c.Refused[0].Why != "it is pickled, and not as one tensor" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestRecognize: only archives with weights that are read are programs.
func TestRecognize(t *testing.T) {
	for members, want := range map[string]bool{
		"p/a p/data/weights/model_weights_config.json": true, "p/a p/data/constants/m_constants_config.json": true, "p/data/weights/m.pt": true,
		"serialized_exported_program.json serialized_state_dict.pt": true, "version serialized_constants.json": true,
		"p/archive_format p/models/m.json": false, "q/a p/data/weights/model_weights_config.json": false, "p/data/weights/x/m.pt": false,
		"p/data/weights/weight_0": false, "serialized_exported_program.json": false, "p/data.pkl": false, "": false,
	} {
		if Recognize(strings.Fields(members)) != want {
			t.Errorf("%q: %v", members, !want)
		}
	}
}

// TestDamage: an archive cut anywhere is malformed, and with any bit flipped it has no tensor outside of the file.
func TestDamage(t *testing.T) {
	raw := program(t, entry("w", "weight_0", 28, "2 2", "1 2", 0)+","+entry("v", "weight_0", 1, "2", "3", 1), "abcdefgh")
	hostile.Damage(t, raw, func(raw []byte) error { _, err := open(raw); return err }, func(raw []byte) { checkPlaces(t, raw) })
}

// FuzzPT2 opens an archive with any JSON and any pickle: no panic, a clean error, and tensors inside of the file.
func FuzzPT2(f *testing.F) {
	f.Add(`{"config": {`+entry("w", "weight_0", 28, "2 2", "1 2", 0)+`}}`, "abcdefgh")
	f.Add(`{"config": {"t": {"path_name": "weight_0", "use_pickle": true, "tensor_meta": {}}}}`, "\x80\x02")
	f.Add(`{"config": {`+strings.Replace(entry("w", "weight_0", 7, "2", "1", 0), `"index": null`, `"index": 1`, 1)+`}}`, "abcdefgh")
	f.Fuzz(func(t *testing.T, config, weight string) {
		raw := archived(t, member{"p/data/weights/weight_0", weight}, member{"p/data/weights/m_weights_config.json", config})
		before := hostile.Allocated()
		_, _ = open(raw)
		if used := hostile.Allocated() - before; used > 4<<20+200*uint64(len(raw)) {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(raw))
		}
		checkPlaces(t, raw)
	})
}
