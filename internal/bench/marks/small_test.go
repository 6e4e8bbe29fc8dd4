package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Small conversions have 4 KiB in every size of elements, and a plan.
func TestSmallRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range smallRows() {
		_, _, from, err := r.plan()
		if elems := r.shape[0] * r.shape[1] * r.shape[2] * r.shape[3]; err != nil || elems*r.size != smallBytes || from.Alloc() != elems || seen[r.String()] {
			t.Errorf("%s: %v", r, err)
		}
		seen[r.String()] = true
	}
	if len(seen) != 5*4*2 {
		t.Errorf("%d rows", len(seen))
	}
}

// The report has the row with all its times: a run is a part of planning and running, which takes longer than a copy.
func TestSmall(t *testing.T) {
	var out, progress strings.Builder
	o := options{samples: 1, only: "4x16x4x4 4 B nchw to nhwc", json: true}
	if err := measureSmall(&out, &progress, o); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Rows  []smallResult
		Marks []mark
	}
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil || len(report.Rows) != 1 || len(report.Marks) != 1 {
		t.Fatalf("%v: %s", err, out.String())
	}
	r := report.Rows[0]
	if r.CopyUS <= 0 || r.RunUS <= 0 || r.WholeUS <= r.CopyUS || r.BeyondUS <= 0 || r.Allocations <= r.RunAllocs ||
		(report.Marks[0].Result == met) != (r.BeyondUS <= smallMax) || !strings.Contains(progress.String(), "| 4x16x4x4 4 B nchw to nhwc |") {
		t.Errorf("%+v\n%s", r, progress.String())
	}
}

// Allocations are those of a pass, not of the first one.
func TestAllocations(t *testing.T) {
	var kept [][]byte
	if n := allocations(func() { kept = append(kept[:0], make([]byte, 10), make([]byte, 100)) }); n != 2 {
		t.Errorf("%d allocations, want 2", n)
	}
	first := true
	if n := allocations(func() {
		if first {
			kept, first = append(kept, make([]byte, 1<<10)), false
		}
	}); n != 0 {
		t.Errorf("%d allocations, want none", n)
	}
}
