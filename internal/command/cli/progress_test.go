package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Nothing is shown before a second has passed or where nobody looks; then bytes, and at the end nothing is left.
func TestProgress(t *testing.T) {
	var screen bytes.Buffer
	late := &lateScreen{to: &screen, from: time.Now().Add(progressDelay), now: time.Now}
	p := newBar(late, "writing", 64<<20, 80)
	p.Add(1 << 20)
	p.End()
	if screen.Len() != 0 {
		t.Errorf("at once it shows %q", screen.String())
	}
	late.now = func() time.Time { return time.Now().Add(2 * progressDelay) }
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			time.Sleep(150 * time.Millisecond)
			p.Add(4 << 20)
		})
	}
	group.Wait()
	if text := screen.String(); !strings.Contains(text, "writing") || !strings.Contains(text, "/64 MiB") {
		t.Errorf("after two seconds it shows %q", text)
	}
	p.End()
	if text := screen.String(); !strings.HasSuffix(text, "\r") {
		t.Errorf("in the end it leaves %q", text)
	}
	screen.Reset()
	counted := &progress{late, progressbar.NewOptions(1, progressbar.OptionSetWriter(late))}
	counted.Reach(30, 60)
	if text := screen.String(); !strings.Contains(text, "50%") {
		t.Errorf("after half of the samples it shows %q", text)
	}
	screen.Reset()
	silent := NewProgress(&Streams{Err: &screen}, "writing", 1)
	silent.Add(1)
	silent.End()
	if screen.Len() != 0 {
		t.Errorf("without a terminal it shows %q", screen.String())
	}
}
