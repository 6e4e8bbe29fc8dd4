package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/fixture"
	"github.com/tlayout/tlayout/internal/words"
)

// offsetContract pins the names of offset --json.
var offsetContract = map[string]string{
	"schema": "string", "source": "string", "dtype": "string", "itemsize": "int", "data_offset": "?int", "dims": "strings",
	"shape":   "ints",
	"strides": "?ints", "offset": "int", "storage_elems": "int", "layout": "string", "layout_assumed": "bool", "results": "offsetResults",
	"notes": "strings", "warnings": "strings",
}

func init() {
	typeChecks["coords"] = listOf(typeChecks["ints"])
	typeChecks["offsetDigits"] = listOf(members(map[string]string{"div": "int", "extent": "int", "stride": "int", "index": "int"}))
	typeChecks["offsetTerms"] = listOf(members(map[string]string{"dim": "string", "index": "int", "parts": "offsetDigits"}))
	typeChecks["offsetCells"] = listOf(members(map[string]string{"offset": "int", "byte": "int", "file_byte": "?int", "value": "?string",
		"coords": "coords", "complete": "bool", "asked": "bool", "bytes_inside": "int"}))
	typeChecks["offsetResults"] = listOf(members(map[string]string{
		"query": "string", "coord": "?ints", "offset": "int", "byte": "int", "file_byte": "?int", "value": "?string", "coords": "coords",
		"aliases": "coords", "coords_total": "int", "complete": "bool",
		"padding": "?object", "padding.kind": "string", "padding.why": "string", "padding.would_be": "?ints",
		"cache_line": "?object", "cache_line.line_bytes": "int", "cache_line.first_byte": "int", "cache_line.last_byte": "int", "cache_line.first_file_byte": "?int",
		"cache_line.last_file_byte": "?int", "cache_line.first_offset": "int", "cache_line.last_offset": "int", "cache_line.occupied_offsets": "int", "cache_line.pad_offsets": "int",
		"cache_line.unknown_offsets": "int", "cache_line.holds": "string", "cache_line.cells": "offsetCells"}))
}

func TestOffsetContract(t *testing.T) {
	x := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	for _, args := range [][]string{
		{x, "1,2,3,4", "--at", "7,30B", "--line-size", "64"},
		{"--shape", "2,5,3,3", "--layout", "nchw4", "1,4,0,0", "--at", "37"},
		{"--shape", "2,3", "--strides", "5,1", "--at", "3"},
		{"--shape", "()", "()", "--line-size", "64"},
		{"--shape", "0,3", "--offset", "3", "--at", "0"},
	} {
		document := decode(t, tlayout(t, append([]string{"offset", "--json"}, args...)...))
		for _, v := range violations(document, offsetContract) {
			t.Errorf("offset --json %v: %s", args, v)
		}
		if terms, ok := valueAt(document, "results.0.terms"); ok && !typeChecks["offsetTerms"](terms) {
			t.Errorf("offset --json %v: terms are %v", args, terms)
		}
	}
}

// TestOffsetBothWays: of a layout that is typed, the program finds back every coordinate from the offset it told.
func TestOffsetBothWays(t *testing.T) {
	d := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		l := fixture.SomeLayout(d)
		var coords []string
		fixture.EachCoord(l, func(coord []int, _ int) { coords = append(coords, words.Ints(coord, ",")) })
		layout := "--layout=" + l.String()
		there := decode(t, tlayout(t, append([]string{"offset", "--json", layout}, coords...)...))
		var offsets []string
		for k := range coords {
			off, _ := valueAt(there, fmt.Sprintf("results.%d.offset", k))
			offsets = append(offsets, fmt.Sprint(off))
		}
		back := decode(t, tlayout(t, "offset", "--json", layout, "--at", strings.Join(offsets, ",")))
		for k, coord := range coords {
			found, _ := valueAt(back, fmt.Sprintf("results.%d.coords", k))
			text := func(c any) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(c), " ", ","), "[]") }
			if !slices.ContainsFunc(found.([]any), func(c any) bool { return text(c) == coord }) {
				t.Errorf("%s: %s lies at %s, where %v lie", l, coord, offsets[k], found)
			}
		}
	}
}

// TestOffsetScreen: the answer about one element of an ordinary tensor fits a screen: 20 lines of 80 columns; so does its cache
// line, and each of several elements is a line.
func TestOffsetScreen(t *testing.T) {
	d := rand.New(rand.NewPCG(8, 9))
	for range 60 {
		l := fixture.SomeLayout(d)
		if l.Numel() == 0 {
			continue
		}
		coord := make([]int, l.Rank())
		for i, n := range l.Shape() {
			coord[i] = d.IntN(n)
		}
		layout, at := "--layout="+l.String(), fmt.Sprintf("--at=%d", l.At(coord...))
		one := words.Ints(coord, ",")
		for _, args := range [][]string{{one}, {at}, {one, "--line-size", "64"}, {at, "--line-size", "64"}, {one, at, one, at}} {
			o := runIn(t, []func(*cli.Streams){onTerminal(80)}, append([]string{"offset", layout}, args...)...)
			if lines := strings.Count(o.out, "\n"); o.code != 0 || lines > 20 {
				t.Errorf("offset %s %v: %d lines, exit code %d: %s\n%s", layout, args, lines, o.code, o.err, o.out)
			}
		}
	}
}
