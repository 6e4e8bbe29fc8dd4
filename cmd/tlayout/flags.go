package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// intsFlag is a list of integers: 1,64,5,4, also as Python prints it: (1, 64, 5, 4). An empty list is a scalar's.
type intsFlag struct {
	values []int
	set    bool
}

func (f *intsFlag) String() string { return words.Ints(f.values, ", ") }

func (f *intsFlag) Type() string { return "ints" }

func (f *intsFlag) Set(s string) error {
	f.values, f.set = []int{}, true
	inner := strings.TrimSpace(s)
	for _, pair := range []string{"()", "[]"} {
		if len(inner) >= 2 && inner[0] == pair[0] && inner[len(inner)-1] == pair[1] {
			inner = strings.TrimSuffix(strings.TrimSpace(inner[1:len(inner)-1]), ",")
		}
	}
	if inner == "" {
		return nil
	}
	for _, word := range strings.Split(inner, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fault.New(fault.Usage, "%s is more than an address can count", fault.Quote(strings.TrimSpace(word)))
		case err != nil:
			return errors.New("not a list of integers such as 1,64,5,4")
		}
		f.values = append(f.values, n)
	}
	return nil
}

// layoutFlag is the name of a layout.
type layoutFlag struct {
	name   string
	layout *notation.Layout
}

func (f *layoutFlag) String() string { return f.name }

func (f *layoutFlag) Type() string { return "layout" }

func (f *layoutFlag) Set(s string) error {
	l, err := notation.Parse(s)
	if err != nil {
		return err
	}
	f.name, f.layout = s, &l
	return nil
}

// dtypeFlag is the name of an element type.
type dtypeFlag struct{ dtype *tensor.DType }

func (f *dtypeFlag) String() string {
	if f.dtype == nil {
		return ""
	}
	return f.dtype.String()
}

func (f *dtypeFlag) Type() string { return "dtype" }

func (f *dtypeFlag) Set(s string) error {
	d, err := tensor.ParseDType(s)
	var e *fault.Error
	if errors.As(err, &e) {
		e.Class = fault.Usage
	}
	if err != nil {
		return err
	}
	f.dtype = &d
	return nil
}

// bytesFlag is a size such as 64MiB, 4096 or 1.5GB.
type bytesFlag struct{ n int64 }

var byteUnits = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1}}

func (f *bytesFlag) String() string {
	if f.n == 0 {
		return ""
	}
	return formatBytes(f.n)
}

func (f *bytesFlag) Type() string { return "size" }

func (f *bytesFlag) Set(s string) error {
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || x < 0 || x*u.factor > 1<<62 || x != x {
			break
		}
		f.n = int64(x * u.factor)
		return nil
	}
	return errors.New("not a size such as 64MiB or 4096")
}

// formatBytes prints a size in the largest binary unit that keeps it at 1 or more: "5120 bytes", "64 MiB", "1.5 GiB".
func formatBytes(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	x, unit := float64(n), "bytes"
	if n == 1 {
		unit = "byte"
	}
	for i := 0; x >= 1024 && n >= 10240 && i < len(units); i++ {
		x, unit = x/1024, units[i]
	}
	return strconv.FormatFloat(float64(int64(x*10+0.5))/10, 'f', -1, 64) + " " + unit
}
