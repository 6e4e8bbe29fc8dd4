package text

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// TestShort: numbers as in cells; other text is unchanged.
func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "-0", "401407": "401407", "-401407": "-401407", "4014071": "4.01e6", "9223372036854775807": "9.22e18",
		"1000000000000": "1.00e12", "0.5": "0.5", "0.12345679": "0.123", "-0.00123456": "-0.00123", "0.000123456": "1.23e-4",
		"0.99961": "1.00", "9.9961": "10.0", "99.961": "100", "999.61": "1000", "1234.5678": "1235", "12345.678": "12346",
		"999999.7": "1.00e6", "1234567.8": "1.23e6", "3.4028235e+38": "3.40e38", "1.1754944e-38": "1.18e-38", "1e-45": "1e-45",
		"nan": "nan", "-inf": "-inf", "True": "True", "(0.12345679-2.5000001j)": "(0.123-2.50j)", "(nan+1j)": "(nan+1j)",
	} {
		if got := Short(text); got != want {
			t.Errorf("Short(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestShortIsNear: the short text of any float is within half a unit of its third digit, is short, and is unchanged when shortened again.
func TestShortIsNear(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "m"), rapid.IntRange(-1000, 1000).Draw(t, "e"))
		text := strconv.FormatFloat(x, "fg"[rapid.IntRange(0, 1).Draw(t, "kind")], -1, 64)
		got := Short(text)
		y, err := strconv.ParseFloat(got, 64)
		if err != nil || math.Abs(y-x) > 0.005001*math.Abs(x) || math.Signbit(x) != strings.HasPrefix(got, "-") {
			t.Fatalf("Short(%s) = %s", text, got)
		}
		if len(got) > len("-1.23e-300") || Short(got) != got {
			t.Fatalf("Short(%s) = %s, and of that %s", text, got, Short(got))
		}
	})
}
