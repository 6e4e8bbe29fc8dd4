package text

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Bytes formats a size in the largest binary unit that keeps it at 1 or more: "5120 bytes", "64 MiB", "1.5 GiB".
func Bytes(n int64) string {
	size, unit, _ := scaled(n)
	if n == 1 {
		return size + " byte"
	}
	return size + " " + cmp.Or(unit, "bytes")
}

// scaled returns a size in that unit, "" for bytes, with one decimal; exact means unrounded.
func scaled(n int64) (size, unit string, exact bool) {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	x := float64(n)
	for i := 0; x >= 1024 && n >= 10240 && i < len(units); i++ {
		x = x / 1024
		unit = units[i]
	}
	rounded := float64(int64(x*10+0.5)) / 10
	return strconv.FormatFloat(rounded, 'f', -1, 64), unit, rounded == x
}

// ShortBytes is Bytes with B for bytes: "5120 B", "64 MiB".
func ShortBytes(n int64) string {
	size, unit, _ := scaled(n)
	return size + " " + cmp.Or(unit, "B")
}

// FullBytes is ShortBytes, preceded by all digits if rounded: "64 MiB", "430048 B (420 KiB)".
func FullBytes(n int64) string {
	if _, _, exact := scaled(n); !exact {
		return fmt.Sprintf("%d B (%s)", n, ShortBytes(n))
	}
	return ShortBytes(n)
}

// ExactBytes returns 19267584 bytes, 18.4 MiB.
func ExactBytes(n int64) string {
	exact := fmt.Sprintf("%d bytes", n)
	short := Bytes(n)
	if short == exact || n == 1 {
		return short
	}
	return exact + ", " + short
}

// byteUnits are the units of sizes, the longer spelling first.
var byteUnits = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1}}

// ParseBytes parses a size in bytes, as a flag or a gate has it: 64MiB, 4096 or 1.5GB. ok is false for anything else, and below 0.
func ParseBytes(s string) (bytes float64, ok bool) {
	for _, u := range byteUnits {
		number, has := strings.CutSuffix(s, u.suffix)
		if !has {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		return x * u.factor, err == nil && x >= 0 // false for NaN
	}
	return 0, false
}

// Seconds formats a time with three digits in the unit that fits: 29.5 µs, 1.25 s, 2.00 ms.
func Seconds(s float64) string {
	unit := "s"
	for _, smaller := range []string{"ms", "µs", "ns"} {
		if s >= 0.9995 || s == 0 {
			break
		}
		s = s * 1000
		unit = smaller
	}
	for _, larger := range []struct {
		unit    string
		seconds float64
	}{{"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		if unit == "s" && s >= 2*larger.seconds {
			s = s / larger.seconds
			unit = larger.unit
			break
		}
	}
	return ThreeDigits(s) + " " + unit
}

// ThreeDigits formats a non-negative number with three digits, so that columns line up: 1.25, 29.5, 118.
func ThreeDigits(x float64) string {
	return strconv.FormatFloat(x, 'f', decimalsOfThree(x), 64)
}

// decimalsOfThree returns how many of three digits follow the decimal point.
func decimalsOfThree(x float64) int {
	if x >= 99.95 {
		return 0
	}
	if x >= 9.995 {
		return 1
	}
	return 2
}

// number matches an unsigned decimal number.
var number = lazy.Regexp(`\d+(?:\.\d*)?(?:[eE][+-]?\d+)?`)

// Short rounds the numbers in a text to three significant digits, and to whole numbers from 1000 on: 0.123, 1.23e-5, 1235, 1.23e6. Integers
// of up to six digits, and short numbers of up to three significant ones, are unchanged.
func Short(text string) string { return number.Get().ReplaceAllStringFunc(text, short) }

// short rounds one number. Its exponent is that of the rounded one: 9.996 is 10.0.
func short(text string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	digits := strings.Trim(strings.Replace(mantissa, ".", "", 1), "0")
	if integer := digits == strings.Trim(text, "0"); integer && len(text) <= 6 {
		return text
	}
	if len(digits) <= 3 && len(text) <= 8 {
		return text
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 2, 64), "e")
	e, _ := strconv.Atoi(exponent)
	if -4 < e && e <= 2 {
		return strconv.FormatFloat(x, 'f', 2-e, 64)
	}
	if whole := strconv.FormatFloat(x, 'f', 0, 64); e > 2 && len(whole) <= 6 {
		return whole
	}
	return mantissa + "e" + strconv.Itoa(e)
}

// RoundBytes returns a round size of at least n bytes, in the syntax of flags: 3MiB.
func RoundBytes(n int64) string {
	unit := int64(1) << 20
	name := "MiB"
	if n >= 1<<30 {
		unit = 1 << 30
		name = "GiB"
	}
	return fmt.Sprintf("%d%s", (n+unit-1)/unit, name)
}
