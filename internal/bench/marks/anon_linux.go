package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pollEvery is the time between looks at a command's memory, long enough not to slow it down.
const pollEvery = 2 * time.Millisecond

// runAnon runs a command, without its output, and prints its seconds and its maximum of anonymous and of resident memory in
// KiB. Linux starts the latter at this program's own.
func runAnon(out, stderr io.Writer, command []string) error {
	if len(command) == 0 {
		return errors.New("-anon needs a command")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = stderr
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
			usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			_, err = fmt.Fprintf(out, "%.6f %d %d\n", seconds, anon, usage.Maxrss)
			return err
		case <-ticks.C:
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
				anon = max(anon, statusKiB(string(text), "RssAnon"))
			}
		}
	}
}

// statusKiB is a number of /proc/PID/status; 0 if it is missing.
func statusKiB(status, name string) int {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return n
		}
	}
	return 0
}
