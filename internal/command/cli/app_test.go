package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestErrorsAreQuoted: no error, hint or warning is printed as it is, even if nobody quoted the name in it, as package os
// does not.
func TestErrorsAreQuoted(t *testing.T) {
	var errs strings.Builder
	a := &App{Streams: &Streams{Err: &errs}}
	bad := &fs.PathError{Op: "open", Path: "b\x1b[31m\n\u202e\xff.npy", Err: errors.New("too many open files")}
	const want = `open b\x1b[31m\x0a\u202e\xff.npy: too many open files`
	a.Report(bad)
	a.Report(fault.In("verify", bad))
	a.Report(fault.New(fault.Usage, "%v", bad).WithHint("%v", bad))
	a.Warn([]string{fmt.Sprint(bad)})
	lines := []string{"error: " + want, "error: verify: " + want, "error: " + want, "hint: " + want, "warning: " + want}
	if got := errs.String(); got != "tlayout: "+strings.Join(lines, "\ntlayout: ")+"\n" {
		t.Errorf("printed %q", got)
	}
}
