package main

import (
	"bytes"
	"testing"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// quick makes bench fast.
const quick = "--quick --samples 10 --patterns channel --conversions=false --layouts nchw"

// outcome is the result of a run of the program.
type outcome struct {
	code     int
	out, err string
}

// onTerminal makes standard output a terminal with this many columns.
func onTerminal(columns int) func(*cli.Streams) {
	return func(s *cli.Streams) { s.Width = columns }
}

// withEnv sets an environment variable.
func withEnv(name, value string) func(*cli.Streams) {
	return func(s *cli.Streams) {
		outer := s.Env
		s.Env = func(n string) (string, bool) {
			if n == name {
				return value, true
			}
			return outer(n)
		}
	}
}

// runIn runs the program in this process, without a terminal, environment or settings except the given ones.
func runIn(t *testing.T, changes []func(*cli.Streams), args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	s := &cli.Streams{In: new(bytes.Buffer), Out: &out, Err: &errs, Unicode: true, UserDir: "/nonexistent",
		Env: func(string) (string, bool) { return "", false }}
	for _, change := range changes {
		change(s)
	}
	code := cli.Run(args, s, command.NewRoot)
	for _, text := range [][]byte{out.Bytes(), errs.Bytes()} {
		if err := validate(text); err != nil {
			t.Errorf("tlayout %q: %v", args, err)
		}
	}
	return outcome{code, out.String(), errs.String()}
}

// tlayout runs the program and expects success.
func tlayout(t *testing.T, args ...string) string {
	t.Helper()
	o := runIn(t, nil, args...)
	if o.code != 0 {
		t.Fatalf("tlayout %q: exit code %d\n%s", args, o.code, o.err)
	}
	return o.out
}
