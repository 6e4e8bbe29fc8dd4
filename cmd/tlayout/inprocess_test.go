package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// outcome is what a run of the program left behind.
type outcome struct {
	code     int
	out, err string
}

// onTerminal makes standard output a terminal of so many columns.
func onTerminal(columns int) func(*streams) {
	return func(s *streams) { s.width = columns }
}

// withEnv sets a variable.
func withEnv(name, value string) func(*streams) {
	return func(s *streams) {
		outer := s.env
		s.env = func(n string) (string, bool) {
			if n == name {
				return value, true
			}
			return outer(n)
		}
	}
}

// runIn runs the program in this process, with no terminal, environment or settings but those given.
func runIn(t *testing.T, changes []func(*streams), args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	s := &streams{in: new(bytes.Buffer), out: &out, err: &errs, unicode: true, userDir: "/nonexistent",
		env: func(string) (string, bool) { return "", false }}
	for _, change := range changes {
		change(s)
	}
	code := run(args, s, newRootCmd)
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

// npyFile writes a position-coded file and returns its path.
func npyFile(t *testing.T, name, dtype string, shape []int, fortran bool) string {
	t.Helper()
	content, err := makeNpy(dtype, shape, fortran)
	if err != nil {
		t.Fatal(err)
	}
	return writeTemp(t, name, content)
}

func writeTemp(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
