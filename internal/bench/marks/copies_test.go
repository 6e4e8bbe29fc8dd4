package main

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hasten makes the programs of a test short.
func hasten(t *testing.T) {
	long := repeatedFor
	repeatedFor = 100 * time.Microsecond
	t.Cleanup(func() { repeatedFor = long })
}

// Every copy copies everything, on one thread and on two.
func TestAllCopies(t *testing.T) {
	hasten(t)
	var b buffers
	const n = 1<<20 + 77
	b.grow(n + 1)
	for i, p := range b.allCopies(n, true) {
		clear(b.dst)
		_, can, err := p.run()
		two := strings.HasPrefix(p.name, copyByTwo)
		if can != (!two || twoProcessors()) || err != nil || can && (!bytes.Equal(b.dst[:n], b.src[:n]) || b.dst[n] != 0) {
			t.Errorf("%d, %s: %v, %v: wrong", i, p.name, can, err)
		}
	}
	if slices.ContainsFunc(b.allCopies(n, false), func(p program) bool { return strings.HasPrefix(p.name, copyByTwo) }) {
		t.Error("two threads were not asked for")
	}
}

// Sources are noise: no cache line is equal to another.
func TestNoise(t *testing.T) {
	var b buffers
	b.grow(1 << 20)
	seen := map[string]bool{}
	for line := range slices.Chunk(b.src, 64) {
		if seen[string(line)] {
			t.Fatal("a line repeats")
		}
		seen[string(line)] = true
	}
}

// All copies of a size are tried once, the fastest measured each time; larger memory is tried anew.
func TestCopiesAreTried(t *testing.T) {
	hasten(t)
	var b buffers
	b.grow(1 << 20)
	names := func(n int) (all []string) {
		for _, p := range b.copies(n, true) {
			all = append(all, p.name)
		}
		return all
	}
	first := names(1 << 20)
	most := 4
	if !twoProcessors() {
		most = 2
	}
	if n := len(first); n < most/2 || n > most || !strings.HasPrefix(first[0], copyBy) {
		t.Errorf("%v", first)
	}
	b.near[1<<20] = []string{copyBy + "go"}
	if again := names(1 << 20); !slices.Equal(again, []string{copyBy + "go"}) {
		t.Errorf("%v are not those of before", again)
	}
	if b.grow(2 << 20); len(b.near) != 0 {
		t.Error("larger memory keeps what was tried in smaller")
	}
}

// Of several programs, a trial returns the fastest and those near it, by their shorter time.
func TestTrial(t *testing.T) {
	takes := func(name string, first, then float64) program {
		runs := 0
		return program{name, func() (float64, bool, error) {
			if runs++; runs == 1 {
				return first, true, nil
			}
			return then, true, nil
		}}
	}
	got := trial([]program{takes("x slow", 3, 2), takes("y", 0.1, 0.1), takes("x first", 9, 1), takes("x second", 1.05, 5), takes("x third", 1.09, 1.09)}, "x ")
	if !slices.Equal(got, []string{"x first", "x second"}) {
		t.Error(got)
	}
	cannot := program{"x", func() (float64, bool, error) { return 0, false, nil }}
	if got := trial([]program{cannot, cannot}, "x"); got != nil {
		t.Errorf("%v cannot", got)
	}
}

// Two passes run side by side, as often as each other: each waits until the other has begun too, for ever.
func TestInTwo(t *testing.T) {
	if !twoProcessors() {
		t.Skip("one processor")
	}
	var one, two atomic.Int64
	met := make(chan bool)
	meet := func(passes *atomic.Int64) {
		passes.Add(1)
		select {
		case met <- true:
		case <-met:
		}
	}
	seconds, can, err := inTwo("meetings", func() { meet(&one) }, func() { meet(&two) }).run()
	if !can || err != nil || seconds <= 0 || one.Load() != two.Load() || one.Load() == 0 {
		t.Errorf("%v s, %v, %v; %d and %d passes", seconds, can, err, one.Load(), two.Load())
	}
}
