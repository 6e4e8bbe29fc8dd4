package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// inspectContract lists the JSON names that inspect promises, and the types of their values; "?" marks a type that may be null. Names may be
// added, never removed.
var inspectContract = map[string]string{
	"schema": "string", "source": "string",
	"container":        "?object",
	"container.format": "string", "container.version": "string", "container.fortran_order": "bool",
	"container.data_offset": "int", "container.data_bytes": "int", "container.trailing_bytes": "int",
	"dtype": "string", "descr": "string", "byte_order": "string", "itemsize": "int",
	"file_shape": "?ints", "dims": "strings", "shape": "ints",
	"strides": "?ints", "strides_bytes": "?ints", "storage_offset": "int", "numel": "int", "nbytes": "int",
	"layout": "string", "layout_assumed": "bool", "digits": "digits",
	"contiguous": "object", "contiguous.c": "bool", "contiguous.f": "bool", "contiguous.channels_last": "bool",
	"contiguous.channels_last_3d": "bool", "contiguous.c_strict": "bool", "contiguous.why_not": "reasons",
	"suggested_memory_format": "?string", "non_overlapping_and_dense": "?bool",
	"packed": "bool", "padded": "?bool", "broadcast_dims": "ints", "overlapping": "string",
	"extent_elems": "int", "unique_elems": "?int", "gap_elems": "?int", "directml_total_bytes": "?int",
	"candidates": "candidates", "ambiguous": "bool",
	"outer_strides_of": "strings", "unblocked": "?object", "unblocked.layout": "string", "unblocked.strides": "ints",
	"pytorch": "?object", "pytorch.is_contiguous": "bool", "pytorch.is_contiguous_channels_last": "?bool", "pytorch.is_contiguous_channels_last_3d": "?bool",
	"pytorch.is_channels_last_strides_2d": "?bool", "pytorch.is_channels_last_strides_3d": "?bool", "pytorch.are_strides_like_channels_last": "?bool",
	"pytorch.make_channels_last": "?object", "pytorch.make_channels_last_3d": "?object",
	"pytorch.to_channels_last": "?object", "pytorch.to_channels_last_3d": "?object",
	"names": "object", "names.pytorch": "strings", "names.onednn": "strings", "names.tvm": "strings", "names.xla": "strings",
	"names.cute": "strings", "names.cudnn": "strings", "names.tensorrt": "strings", "names.megengine": "strings",
	"directml": "?object", "directml.sizes": "ints", "directml.strides": "?ints",
	"warnings": "strings",
}

// typeChecks reports whether a decoded value has a contract's type.
var typeChecks = map[string]func(any) bool{
	"string": func(v any) bool { _, ok := v.(string); return ok },
	"bool":   func(v any) bool { _, ok := v.(bool); return ok },
	"number": func(v any) bool { _, ok := v.(float64); return ok },
	"int":    func(v any) bool { x, ok := v.(float64); return ok && x == math.Trunc(x) },
	"object": func(v any) bool { _, ok := v.(map[string]any); return ok },
}

func init() {
	typeChecks["ints"] = listOf(typeChecks["int"])
	typeChecks["strings"] = listOf(typeChecks["string"])
	typeChecks["digits"] = mapOf(listOf(members(map[string]string{"div": "int", "extent": "int", "stride": "int"})))
	typeChecks["reasons"] = mapOf(members(map[string]string{"dim": "?string", "expected": "?int", "found": "?int"}))
	typeChecks["candidates"] = listOf(members(map[string]string{"layout": "string", "why": "string"}))
}

func listOf(check func(any) bool) func(any) bool {
	return func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(x any) bool { return !check(x) })
	}
}

func mapOf(check func(any) bool) func(any) bool {
	return func(v any) bool {
		m, ok := v.(map[string]any)
		for _, x := range m {
			ok = ok && check(x)
		}
		return ok
	}
}

func members(types map[string]string) func(any) bool {
	return func(v any) bool { return len(violations(v, types)) == 0 }
}

// violations lists how a document violates a contract.
func violations(document any, contract map[string]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(contract)) {
		typ, nullable := strings.CutPrefix(contract[name], "?")
		if outer, _, nested := cutLast(name); nested {
			if v, ok := valueAt(document, outer); ok && v == nil && contract[outer][0] == '?' {
				continue
			}
		}
		v, ok := valueAt(document, name)
		switch {
		case !ok:
			found = append(found, name+" is missing")
		case v == nil && !nullable:
			found = append(found, name+" is null")
		case v != nil && !typeChecks[typ](v):
			found = append(found, fmt.Sprintf("%s is %v, no %s", name, v, typ))
		}
	}
	return found
}

func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return document
}

func TestInspectContract(t *testing.T) {
	plain := fixture.NpyFile(t, "plain.npy", "<f4", []int{2, 3, 4, 5}, false)
	blocked := fixture.NpyFile(t, "blocked.npy", "<f4", []int{1, 2, 2, 2, 4}, false)
	described := fixture.NpyFile(t, "described.npy", "<f4", []int{1, 5, 2, 2}, false)
	tlayout(t, "convert", described, "--to", "nchw4")
	described = strings.TrimSuffix(described, ".npy") + ".nchw4c.npz"
	for _, args := range [][]string{
		{plain},
		{plain, "--offsets", "--limit", "2"},
		{plain, "--storage", "--limit", "2"},
		{blocked, "--from", "nchw4"},
		{fixture.NpyFile(t, "fortran.npy", ">i2", []int{2, 3, 4}, true)},
		{fixture.NpyFile(t, "empty.npy", "<c8", []int{2, 0, 4}, false)},
		{fixture.NpyFile(t, "scalar.npy", "|b1", []int{}, false)},
		{fixture.NpyFile(t, "struct.npy", "<i4,<f8", []int{3}, false)},
		{described},
		{described + ":arr_0"},
		{"--shape", "2,3", "--strides", "0,1"},
		{"--shape", "3", "--strides=-1"},
		{"--shape", "5000,5000", "--strides", "10007,10009"},
		{"--shape", "2,3,4,5,6,7,8,9,10"},
		{"--shape", "()"},
	} {
		document := decode(t, tlayout(t, append([]string{"inspect", "--json"}, args...)...))
		for _, v := range violations(document, inspectContract) {
			t.Errorf("inspect --json %v: %s", args, v)
		}
	}
}

// TestInspectContractValues checks values with a special meaning in the contract.
func TestInspectContractValues(t *testing.T) {
	for _, c := range []struct{ args, path, want string }{
		{"--shape 2,8,2,2 --from nchw4", "strides", "null"},
		{"--shape 2,8,2,2", "strides", "[32,4,2,1]"},
		{"--shape 2,2", "overlapping", `"no"`},
		{"--shape 2,2 --strides 0,1", "overlapping", `"yes"`},
		{"--shape 5000,5000 --strides 10007,10009", "overlapping", `"unknown"`},
		{"--shape 5000,5000 --strides 10007,10009", "overlapping_limit", "16777216"},
		{"--shape 2,2", "container", "null"},
		{"--shape 2,2", "file_shape", "null"},
		{"--shape 2,2 --strides 2,1", "layout_assumed", "false"},
		{"--shape 2,2", "layout_assumed", "true"},
	} {
		document := decode(t, tlayout(t, append([]string{"inspect", "--json"}, strings.Fields(c.args)...)...))
		got, ok := valueAt(document, c.path)
		if text := string(fixture.Must(json.Marshal(got))); !ok || text != c.want {
			t.Errorf("inspect --json %s: %s is %s, expected %s", c.args, c.path, text, c.want)
		}
	}
}

// TestViolations: violations finds names that are missing, null or of another type.
func TestViolations(t *testing.T) {
	document := decode(t, `{"a": 1.5, "b": null, "c": {"d": []}, "e": null}`)
	contract := map[string]string{"a": "int", "b": "int", "c.d": "ints", "c.x": "int", "e": "?object", "e.f": "int"}
	want := []string{"a is 1.5, no int", "b is null", "c.x is missing"}
	if got := violations(document, contract); !slices.Equal(got, want) {
		t.Errorf("violations = %q, expected %q", got, want)
	}
}
