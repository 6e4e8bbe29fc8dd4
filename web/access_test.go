package web

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// violation is a rule of axe-core that an element breaks.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML           string
		FailureSummary string
	}
}

// TestBrowserAccess: axe-core, the script that TLAYOUT_TEST_AXE names, finds nothing against the rules of WCAG 2.2 A and AA and its best practices
// on any kind of answer, light and dark, drawings included.
func TestBrowserAccess(t *testing.T) {
	name := os.Getenv("TLAYOUT_TEST_AXE")
	if name == "" {
		t.Skip("TLAYOUT_TEST_AXE names no axe.min.js, which make verify-web installs")
	}
	axe, err := os.ReadFile(name)
	cli.Must(err)
	b := open(t, "")
	chromium.Value[chromedp.Void](b, string(axe)+"; void 0")
	drop(b, map[string][]byte{"net.pt2": testdata("net.pt2"), "dump.bin": testdata("dump.bin")})
	for _, scheme := range []string{"light", "dark"} {
		b.Do(chromium.Media("prefers-color-scheme", scheme))
		for _, question := range []string{"", "--shape 8,3,4,4 --strides 48,1,12,3 --all", "draw --shape 1,3,4,4 --layouts nchw,nhwc", "trace --shape 2,3 T 'reshape(6)'",
			"graph net.pt2", "threads ldmatrix.x4 --thread 5", "why view size is not compatible", "nonsense", "missing.npy", "help why", "formats nhwc", "guess dump.bin"} {
			follow(b, question)
			b.Click("#state")
			found := chromium.Value[[]violation](b, `axe.run({resultTypes: ["violations"]}).then(found => found.violations.map(({id, help, nodes}) =>
				({id, help, nodes: nodes.slice(0, 3).map(({html, failureSummary}) => ({html: html.slice(0, 200), failureSummary}))})))`)
			for _, v := range found {
				t.Errorf("%s, %q: %s: %s", scheme, question, v.ID, fmt.Sprintf("%s %+v", v.Help, v.Nodes))
			}
		}
	}
}
