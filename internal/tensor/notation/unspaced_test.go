package notation

import (
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestUnspaced: letters without blanks are a layout if frameworks call dims so; of short words the error says how to write dims of one's own,
// which Parse reads and prints, and of others that formats lists the known ones.
func TestUnspaced(t *testing.T) {
	known := "nchw nhwc CHWN ncdhw NTCHW BFCHW bhsd BSHD SBHD thd TND BNSD nhd HND NLC NCL NWC NCW BTC TBC TNC KN NK MK KM BMK BKN BHQK BHIJ oihw HWIO " +
		"goihw ldigo ldgoi KCRS KTRSC NPQK NZPQK TCZYX YXS ZYX GKYXC GNHWC abcd acdb W X lbkhnc DHWIO"
	for s := range strings.FieldsSeq(known) {
		l, err := Parse(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if again, err := Parse(l.Format.String()); err != nil || again.Format.Explicit() != l.Format.Explicit() {
			t.Errorf("%s is printed as %s: %v", s, l.Format, err)
		}
	}
	words := "TITLE TI coreml rocm mps ort dicom opencv quit run stride no go how chow icon coin word shape numpy rust zip jpeg pt onyx mixed noon"
	for s := range strings.FieldsSeq(words) {
		_, err := Parse(s)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Usage || !strings.Contains(e.Text, "no framework calls dims by these letters") || e.Hint == "" {
			t.Errorf("%s: %v", s, err)
			continue
		}
		_, spaced, ok := strings.Cut(e.Hint, "separated by blanks: ")
		if known := strings.Contains(e.Hint, "tlayout formats lists") || strings.HasPrefix(e.Hint, "did you mean"); known == ok || ok && len(s) > 4 {
			t.Errorf("%s: hint %s", s, e.Hint)
		}
		if !ok {
			continue
		}
		l, err := Parse(strings.Trim(spaced, "'"))
		if err != nil || strings.ReplaceAll(l.Format.String(), " ", "") != strings.ToUpper(s) {
			t.Errorf("%s: the hint %s is read as %v, %v", s, spaced, l.Format, err)
		}
		if again, err := Parse(l.Format.String()); err != nil || again.Format.Explicit() != l.Format.Explicit() {
			t.Errorf("%s is printed as %s: %v", spaced, l.Format, err)
		}
	}
	for _, s := range []string{"B T H D", "T I L E", "TILE16t", "t16TILE"} { // blanks and blocks are written on purpose
		if _, err := Parse(s); err != nil && s != "t16TILE" {
			t.Errorf("%s: %v", s, err)
		}
	}
}
