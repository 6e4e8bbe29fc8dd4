package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// madeFile is a file of a chain of conversions, with the flags that read it.
type madeFile struct {
	path  string
	flags []string
}

// next converts a file by flags that name no dim, into a random container.
func (f madeFile) next(t *testing.T, r *rand.Rand, dir string, rank, n int) (madeFile, bool) {
	perm := r.Perm(rank)
	order := strings.Trim(strings.ReplaceAll(fmt.Sprint(perm), " ", ","), "[]")
	targets := []string{"c", "fortran", order, order}
	ending := []string{"", ".npy", ".npz", ".safetensors", ".pt", ".bin"}[r.IntN(6)]
	args := append([]string{"convert", f.path, "--json", "--force", "--to", targets[r.IntN(len(targets))]}, f.flags...)
	if len(f.flags) == 0 && r.IntN(3) == 0 {
		args = append(args, "--from", order)
	}
	if ending != "" {
		args = append(args, "-o", filepath.Join(dir, fmt.Sprintf("y%d%s", n, ending)))
	}
	o := runIn(t, nil, args...)
	if o.code != 0 {
		return f, false // a container that cannot hold this order
	}
	var made struct {
		Output    string
		ReadAgain string `json:"read_again"`
		Tensors   []struct{ Name string }
	}
	cli.Must(json.Unmarshal([]byte(o.out), &made))
	if name := made.Tensors[0].Name; name != "" {
		made.Output += ":" + name
	}
	return madeFile{path: made.Output, flags: strings.Fields(made.ReadAgain)}, true
}

// TestAssumedOrderStays: however often a file whose axes nobody named is converted, by permutations, into C and Fortran order, into every container and
// back, nobody has named its axes: no name or record says that somebody has, and check passes no named layout but of recorded strides.
func TestAssumedOrderStays(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	letters := map[int]string{2: "hw", 3: "chw", 4: "nchw"}
	made := map[string]int{}
	for range 12 {
		rank := 2 + r.IntN(3)
		f := madeFile{path: fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}[4-rank:], false)}
		if r.IntN(2) == 0 { // a part of its bytes, by strides
			strides := []string{"15,15,5,1", "20,5,1", "5,1"}[4-rank]
			f.flags = strings.Fields("--raw --skip 128 --allow-trailing --dtype float32 --shape " + []string{"2,1,2,4", "2,2,4", "2,4"}[4-rank] + " --strides " + strides)
		}
		dir, steps := filepath.Dir(f.path), []string{f.path}
		for n := range 4 {
			next, ok := f.next(t, r, dir, rank, n)
			if !ok {
				continue
			}
			f = next
			steps = append(steps, filepath.Base(f.path))
			file, _, _ := strings.Cut(filepath.Base(f.path), ":")
			made[filepath.Ext(file)]++
			o := runIn(t, nil, append([]string{"inspect", f.path, "--json"}, f.flags...)...)
			var x struct {
				From string `json:"layout_from"`
			}
			cli.Must(json.Unmarshal([]byte(o.out), &x))
			if x.From != "assumed" && x.From != "strides" && x.From != "none" {
				t.Fatalf("%s: the axes of the last are named, by %q: %s", steps, x.From, o.err)
			}
			if x.From == "strides" {
				continue
			}
			for _, order := range arrangements(letters[rank]) {
				if v := verdictOf(t, f.path, strings.Join(append(f.flags, "--layout="+order), " ")); v == "yes" {
					t.Fatalf("%s: check --layout %s passes on the last", steps, order)
				}
			}
		}
	}
	for _, ending := range []string{".npy", ".npz", ".safetensors", ".pt", ".bin"} {
		if made[ending] == 0 {
			t.Errorf("no %s among %v", ending, made)
		}
	}
}
