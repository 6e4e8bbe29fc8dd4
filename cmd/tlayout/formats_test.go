package main

import (
	"strings"
	"testing"
)

// TestFormatsContract pins the names of formats --json.
func TestFormatsContract(t *testing.T) {
	catalogue := map[string]string{"schema": "string", "entries": "catalogue"}
	typeChecks["catalogue"] = listOf(members(map[string]string{"framework": "string", "name": "string", "memory_order": "?string", "kind": "string", "meaning": "string"}))
	typeChecks["axes"] = listOf(members(map[string]string{"axis": "string", "dim": "string", "div": "int", "size": "?int", "stride": "?int",
		"stride_bytes": "?int", "how": "string"}))
	typeChecks["padding"] = listOf(members(map[string]string{"dim": "string", "size": "int", "padded_size": "int"}))
	typeChecks["frameworks"] = listOf(members(map[string]string{"framework": "string", "spellings": "strings", "shape_kind": "string", "shape": "?ints",
		"symbols": "?strings", "native_strides": "?ints", "ok": "bool"}))
	typeChecks["code"] = listOf(members(map[string]string{"framework": "string", "make": "strings", "back": "strings"}))
	contract := map[string]string{"schema": "string", "query": "string", "answer": "string", "layout": "string", "memory_order": "string", "dims": "strings",
		"dtype": "string", "itemsize": "int", "shape": "?ints", "file_shape": "?ints", "symbols": "strings", "axes": "axes",
		"strides": "?ints", "packed": "bool", "storage_elems": "?int", "storage_bytes": "?int", "padded_dims": "padding", "pad_elems": "int",
		"frameworks": "frameworks", "candidates": "candidates", "outer_strides_of": "strings", "confusions": "strings", "code": "code", "directml": "?object",
		"directml.sizes": "ints", "directml.strides": "?ints", "directml.data_type": "string", "directml.directml_total_bytes": "int",
		"directml.make": "strings", "notes": "strings"}
	for _, v := range violations(decode(t, tlayout(t, "formats", "--json")), catalogue) {
		t.Error(v)
	}
	for _, args := range []string{"nchw", "nChw16c", "nChw16c --shape 1,62,5,4", "c", "--shape 2,3", "--shape 2,3 --strides 0,1", "--shape 2 --strides=-1",
		"(2,3):(5,1)@2", "--shape 2,0,3", "nhwc --shape 1,2,3,4 --framework numpy", "NCHW4 --framework mnn --dtype bool --shape 1,2,3,4"} {
		for _, v := range violations(decode(t, tlayout(t, append([]string{"formats", "--json"}, strings.Fields(args)...)...)), contract) {
			t.Errorf("formats --json %s: %s", args, v)
		}
	}
}
