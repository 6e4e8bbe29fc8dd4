package cloud

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scalePage has the cells of rows of docs/scale.md by their first cell; a second row with the same one has a prime.
type scalePage map[string][]string

func readScale(t *testing.T) scalePage {
	t.Helper()
	text, err := os.ReadFile("../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	p := scalePage{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); len(cells) > 1 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if p[cells[0]] != nil {
				cells[0] += "'"
			}
			p[cells[0]] = cells[1:]
		}
	}
	return p
}

var number = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)

// numbers returns those of a cell.
func (p scalePage) numbers(t *testing.T, row string, cell int) (list []float64) {
	t.Helper()
	if len(p[row]) <= cell {
		t.Fatalf("no cell %d of row %q", cell, row)
	}
	for _, s := range number.FindAllString(p[row][cell], -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(s, ","), ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

// rounded compares a figure with two significant digits of n.
func rounded(figure, n float64) bool {
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return math.Abs(figure-n) <= unit*0.51
}

// TestScale computes the times of docs/scale.md from its assumptions.
func TestScale(t *testing.T) {
	p := readScale(t)
	worker, limit := p.numbers(t, "worker", 0), p.numbers(t, "requests a second for one prefix", 0)
	latency := p.numbers(t, "latency until the first byte", 0)
	bandwidth, jobs, price := worker[0]*1e9, worker[2], worker[3]
	small, large := p.numbers(t, "small object", 0)[0]*1024, p.numbers(t, "large object", 0)[0]*(1<<20)
	wait := (2*latency[0] + latency[1] + latency[2]) / 1000
	const minute, hour, day = 60, 3600, 86400
	for _, c := range []struct {
		row              string
		objects, bytes   float64
		wait, gets, puts float64 // of an object: seconds, requests
		unit, units      float64 // seconds: of the time of one worker, and of the others
	}{
		{"10⁶ small", 1e6, small, wait, 2, 1, hour, minute},
		{"10⁵ large", 1e5, large, 0, 34, 35, hour, minute},
		{"10⁸ small", 1e8, small, wait, 2, 1, day, hour},
	} {
		each := max(c.wait/jobs, 2*c.bytes/bandwidth)
		total, prefix := c.objects*each, c.objects*max(c.gets/limit[0], c.puts/limit[1])
		for i, want := range []float64{c.objects * c.bytes / 1e12, total / c.unit, total / hour * price, total / 64 / c.units,
			64 * c.gets / each, 64 * c.puts / each, prefix / c.units} {
			if got := p.numbers(t, c.row, i)[0]; !rounded(got, want) {
				t.Errorf("%s: %s, but it is %.4g", c.row, p[c.row][i], want)
			}
		}
	}
}

// TestScaleCost computes the costs from requests and prices, and S3's requests of a large object from its parts of 8 MiB.
func TestScaleCost(t *testing.T) {
	p := readScale(t)
	for _, c := range []struct {
		row, requests string
		objects       float64
	}{
		{"10⁶ small'", "small object: reads, writes", 1e6},
		{"10⁵ large'", "large object: reads, writes", 1e5},
		{"10⁶ up to date", "up to date: reads, writes", 1e6},
	} {
		for i, store := range []string{"S3", "Google", "Azure"} {
			n := p.numbers(t, c.requests, i)
			reads, writes := n[0]*p.numbers(t, "$ for 1,000 reads", i)[0], n[1]*p.numbers(t, "$ for 1,000 writes", i)[0]
			want := c.objects / 1000 * (reads + writes)
			if got := p.numbers(t, c.row, i)[0]; !rounded(got, want) {
				t.Errorf("%s, %s: %s, but it is %.4g", c.row, store, p[c.row][i], want)
			}
		}
	}
	parts := math.Ceil((p.numbers(t, "large object", 0)[0]*(1<<20) + 128) / (8 << 20))
	if got := p.numbers(t, "large object: reads, writes", 0); !slices.Equal(got, []float64{1 + parts + 1, parts + 2}) {
		t.Errorf("requests of a large object of S3: %v", got)
	}
}
