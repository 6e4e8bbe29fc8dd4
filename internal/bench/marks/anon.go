package marks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// pollEvery is how often the memory of a command is looked at: seldom enough not to slow it down.
const pollEvery = 2 * time.Millisecond

// runAnon runs a command and prints its seconds, the most anonymous memory it was seen with and the most of all kinds,
// in KiB. What it prints itself is left out.
func runAnon(out, complaints io.Writer, command []string) error {
	if len(command) == 0 {
		return errors.New("-anon needs a command")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = complaints
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	var seconds float64
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		seconds = time.Since(start).Seconds()
		done <- err
	}()
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	anon := 0
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
			}
			_, err = fmt.Fprintf(out, "%.6f %d %d\n", seconds, anon, maxResidentKiB(cmd.ProcessState))
			return err
		case <-ticks.C:
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
				anon = max(anon, statusKiB(string(text), "RssAnon"))
			}
		}
	}
}

// statusKiB is a number of /proc/PID/status; 0 where it is not there.
func statusKiB(status, name string) int {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return n
		}
	}
	return 0
}
