package main

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/fixture"
)

// checkContract pins the names of check --json, as inspectContract does for inspect.
var checkContract = map[string]string{"schema": "string", "source": "string", "result": "string", "ok": "bool", "assertions": "assertions", "warnings": "strings"}

func init() {
	typeChecks["assertions"] = listOf(members(map[string]string{"name": "string", "asserted": "string", "actual": "string", "result": "string", "ok": "bool",
		"why": "string", "hint": "string"}))
	typeChecks["answers"] = mapOf(members(map[string]string{"ok": "bool", "why": "string"}))
	typeChecks["explanations"] = listOf(members(map[string]string{"title": "string", "lines": "strings"}))
}

func TestCheckContract(t *testing.T) {
	x := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	document := decode(t, tlayout(t, "check", "--json", x, "--from", "nchw", "--layout", "nchw", "--packed", "--finite", "--accepted-by", "numpy"))
	for _, v := range violations(document, checkContract) {
		t.Error(v)
	}
}

// TestInspectExplainContract pins who takes the tensor, and the explanation, which --explain alone adds.
func TestInspectExplainContract(t *testing.T) {
	for _, args := range []string{
		"--shape 2,3,4,5", "--shape 2,8,2,2 --layout nchw4", "--shape ()", "--shape 2,0,3,4", "--shape 0,0,0,0,0 --layout ndhwc",
		"--shape 3 --strides=-1", "--shape 2,3,4,5,6,7,8,9,10", "--shape 5000,5000 --strides 10007,10009", "--shape 2,3 --dtype S3",
	} {
		document := decode(t, tlayout(t, append([]string{"inspect", "--json", "--explain"}, strings.Fields(args)...)...))
		for _, v := range violations(document, map[string]string{"accepted_by": "answers", "explain": "explanations"}) {
			t.Errorf("inspect --json --explain %s: %s", args, v)
		}
	}
}
