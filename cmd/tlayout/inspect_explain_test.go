package main

import (
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// drawn are tensors of rank 4 and 5 whose strides are those of an order, some of them spoiled.
func drawn(t *testing.T, n int, visit func(*source.Tensor, tensor.Strided)) {
	t.Helper()
	rnd := rand.New(rand.NewSource(1))
	float32s := must2(tensor.ParseDType("float32"))
	for range n {
		shape := make([]int, 4+rnd.Intn(2))
		for i := range shape {
			shape[i] = 1 + rnd.Intn(3)
		}
		strides, step := make([]int, len(shape)), 1
		order := rnd.Perm(len(shape))
		if last := lastOrder(len(shape)); rnd.Intn(2) == 0 {
			order = last
		}
		for _, i := range order {
			if strides[i] = step; rnd.Intn(6) == 0 {
				strides[i] += rnd.Intn(3) - 1
			}
			step = max(1, strides[i]*shape[i])
		}
		x, err := source.Describe(source.Typed{Shape: shape, Strides: strides, DType: float32s})
		if err != nil {
			t.Fatal(err)
		}
		s, _ := x.Layout.Strided()
		visit(x, s)
	}
}

// TestExplanationAgrees: what --explain walks through by itself comes to the answers of package tensor: contiguity in
// both senses, and the hint.
func TestExplanationAgrees(t *testing.T) {
	seen := map[string]int{}
	drawn(t, 2000, func(x *source.Tensor, s tensor.Strided) {
		r := newInspectReport(x)
		walks := r.explainWalks(s)
		for i, want := range []bool{s.CContiguous().OK, s.ChannelsLast().OK || s.ChannelsLast3D().OK} {
			if !strings.HasSuffix(walks[i].Title, "? "+yesNo(want)) {
				t.Errorf("%v: %q, expected %s", s, walks[i].Title, yesNo(want))
			}
			seen[fmt.Sprintf("walk %d: %s", i, yesNo(want))]++
		}
		hint := r.hintWalk(s)
		last := s.SuggestMemoryFormat() != tensor.ContiguousFormat
		if strings.HasPrefix(hint, "no stride is less") != last {
			t.Errorf("%v: %q, but the hint is %s", s, hint, s.SuggestMemoryFormat())
		}
		seen["hint: "+yesNo(last)]++
	})
	for _, key := range []string{"walk 0: yes", "walk 0: no", "walk 1: yes", "walk 1: no", "hint: yes", "hint: no"} {
		if seen[key] < 20 {
			t.Errorf("%s was hardly drawn: %v", key, seen)
		}
	}
}

var written = regexp.MustCompile(`= (\d+(?: · \d+)+) = (\d+)`)

var summand = regexp.MustCompile(`(\d+)·(-?\d+)`)

// TestStrideStoriesAddUp: a story names the stride that it is about, its products are right, and the terms of the
// example add up to its address.
func TestStrideStoriesAddUp(t *testing.T) {
	products := 0
	check := func(x *source.Tensor) {
		places, coord := placesOf(x), exampleCoord(x.Layout)
		steps := newInspectReport(x).exampleSteps(x.Layout, coord, places)
		sum := 0
		for _, m := range summand.FindAllStringSubmatch(steps[len(steps)-1], -1) {
			i, _ := strconv.Atoi(m[1])
			stride, _ := strconv.Atoi(m[2])
			sum += i * stride
		}
		if at := x.Layout.At(coord...); sum != at || !strings.HasSuffix(steps[len(steps)-1], fmt.Sprintf(" = %d", at)) {
			t.Errorf("%v: the terms of %q add up to %d, expected %d", x.Layout, steps, sum, at)
		}
		for i, p := range places {
			story := p.story(places[i+1:])
			if !regexp.MustCompile(`(^|[ =])` + strconv.Itoa(p.stride) + `([:, ]|$)`).MatchString(story) {
				t.Errorf("%+v: %q does not name the stride", p, story)
			}
			for _, m := range written.FindAllStringSubmatch(story, -1) {
				want, _ := strconv.Atoi(m[2])
				got := 1
				for _, word := range strings.Split(m[1], " · ") {
					n, _ := strconv.Atoi(word)
					got *= n
				}
				if products++; got != want {
					t.Errorf("%+v: %q: %s is %d", p, story, m[0], got)
				}
			}
		}
	}
	drawn(t, 500, func(x *source.Tensor, _ tensor.Strided) { check(x) })
	for _, name := range []string{"nchw4", "chwn4", "nChw16c", "N C//2%3 H W C//6 C%2"} {
		l := must2(notation.Parse(name))
		x, err := source.Describe(source.Typed{Shape: []int{2, 17, 3, 4}, Layout: &l, DType: must2(tensor.ParseDType("int8"))})
		if err != nil {
			t.Fatal(err)
		}
		check(x)
	}
	if products < 500 {
		t.Errorf("only %d products were looked at", products)
	}
}
