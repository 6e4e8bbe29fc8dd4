package main

import (
	"sync"
	"testing"
)

// trials counts how the trials of a test end. Parallel subtests may share it.
type trials struct {
	mu    sync.Mutex
	ended map[string]int
}

// countTrials returns the trials of t and its subtests. At the end t logs them, and fails if it made none: a fault that never occurs proves
// nothing.
func countTrials(t *testing.T) *trials {
	t.Helper()
	c := &trials{ended: map[string]int{}}
	t.Cleanup(func() {
		t.Logf("trials: %v", c.ended)
		if len(c.ended) == 0 && !t.Skipped() {
			t.Error("no trial was made")
		}
	})
	return c
}

// try counts a trial and how it ended. Any problem fails t.
func (c *trials) try(t *testing.T, what, ended string, problems ...string) {
	t.Helper()
	c.mu.Lock()
	c.ended[ended]++
	c.mu.Unlock()
	for _, p := range problems {
		t.Errorf("%s: %s", what, p)
	}
}
