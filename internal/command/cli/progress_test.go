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
	defer func(d time.Duration) { redrawn = d }(redrawn)
	redrawn = 0
	var screen bytes.Buffer
	began := time.Unix(0, 0)
	late := &delayedWriter{to: &screen, from: began.Add(progressDelay), now: func() time.Time { return began.Add(progressDelay - 1) }}
	p := newBar(late, "writing", 64<<20, 80)
	p.Add(1 << 20)
	p.End()
	if screen.Len() != 0 {
		t.Errorf("at once it shows %q", screen.String())
	}
	late.now = func() time.Time { return began.Add(progressDelay) }
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { p.Add(4 << 20) })
	}
	group.Wait()
	if text := screen.String(); !strings.Contains(text, "writing") || !strings.Contains(text, "/64 MiB") {
		t.Errorf("after a second it shows %q", text)
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
	for columns, counts := range map[int]bool{barFigures + 4: true, barFigures + 3: false} {
		screen.Reset()
		newBar(late, "writing", 64<<20, columns).Add(4 << 20)
		if text := screen.String(); strings.Contains(text, "/64 MiB") != counts || !strings.Contains(text, "writing") {
			t.Errorf("on %d columns it shows %q", columns, text)
		}
	}
	screen.Reset()
	silent := NewProgress(&Streams{Err: &screen}, "writing", 1)
	silent.Add(1)
	silent.End()
	if screen.Len() != 0 {
		t.Errorf("without a terminal it shows %q", screen.String())
	}
}
