package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnon(t *testing.T) {
	if got := statusKiB("Name:\tx\nVmHWM:\t  1204 kB\nRssAnon:\t     312 kB\n", "RssAnon"); got != 312 {
		t.Errorf("RssAnon is %d", got)
	}
	var out, stderr strings.Builder
	err := runAnon(&out, &stderr, []string{"sleep", "0.1"})
	var seconds float64
	var anon, resident int
	if n, _ := fmt.Sscan(out.String(), &seconds, &anon, &resident); err != nil || n != 3 || seconds < 0.1 || anon <= 0 || resident < anon {
		t.Errorf("%q, %q, %v", out.String(), stderr.String(), err)
	}
	if err := runAnon(&out, &stderr, []string{"false"}); err == nil {
		t.Error("a command that fails is taken for one that works")
	}
}
