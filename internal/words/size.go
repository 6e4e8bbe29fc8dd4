package words

import (
	"fmt"
	"strconv"
)

// Bytes prints a size in the largest binary unit that keeps it at 1 or more: "5120 bytes", "64 MiB", "1.5 GiB".
func Bytes(n int64) string {
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

// ExactBytes prints 19267584 bytes, 18.4 MiB.
func ExactBytes(n int64) string {
	exact, short := fmt.Sprintf("%d bytes", n), Bytes(n)
	if short == exact || n == 1 {
		return short
	}
	return exact + ", " + short
}

// Seconds prints a time with three digits in the unit that fits: 29.5 µs, 1.25 s, 2.00 ms.
func Seconds(s float64) string {
	unit := "s"
	for _, smaller := range []string{"ms", "µs", "ns"} {
		if s >= 0.9995 || s == 0 {
			break
		}
		s, unit = s*1000, smaller
	}
	for _, larger := range []struct {
		unit    string
		seconds float64
	}{{"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		if unit == "s" && s >= 2*larger.seconds {
			s, unit = s/larger.seconds, larger.unit
			break
		}
	}
	return ThreeDigits(s) + " " + unit
}

// ThreeDigits prints a number of at least 0 with three digits, so that a column of them lines up: 1.25, 29.5, 118.
func ThreeDigits(x float64) string {
	decimals := 2
	switch {
	case x >= 99.95:
		decimals = 0
	case x >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}
