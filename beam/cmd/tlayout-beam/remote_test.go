//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// server is a job server as Flink's and Spark's are: a process of its own. It is Beam's prism, whose workers are processes too.
type server struct {
	endpoint string
	worker   string // the command that starts a worker
}

// startServer builds prism and the program that starts workers in Beam's containers, in the version of go.mod.
func startServer(t *testing.T) server {
	t.Helper()
	dir := t.TempDir()
	for name, path := range map[string]string{"prism": "cmd/prism", "boot": "container"} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, name), "github.com/apache/beam/sdks/v2/go/"+path)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// Prism 2.77 puts the worker's name in quotes, although no shell removes them.
	worker := filepath.Join(dir, "worker")
	script := fmt.Sprintf("#!/bin/sh\nid=${1#--id=\\'}\nshift\nexec %s/boot --id=\"${id%%\\'}\" \"$@\"\n", dir)
	if err := os.WriteFile(worker, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	prism := exec.Command(filepath.Join(dir, "prism"), "-job_port", port, "-serve_http=false")
	prism.Dir = dir // workers write files there
	if err := prism.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		prism.Process.Kill()
		prism.Wait()
	})
	return server{"localhost:" + port, worker}
}

func TestRemote(t *testing.T) {
	s := startServer(t)
	t.Run("processes", s.processes)
	t.Run("loopback", s.loopback)
}

// With workers in other processes, the runner counts the outcomes, which decide the exit code, and writes them to --outcomes. Standard output
// has none.
func (s server) processes(t *testing.T) {
	dir := sources(t)
	remote := func(flags string) (code int, out, messages string) {
		args := []string{"--runner", "universal", "--endpoint", s.endpoint, "--environment_type", "PROCESS",
			"--environment_config", fmt.Sprintf(`{"command":%q}`, s.worker), "--outcomes", filepath.Join(dir, "lines")}
		return start(t, dir, nil, append(args, strings.Fields(strings.ReplaceAll(flags, "DIR", dir))...)...)
	}
	code, out, messages := remote("DIR/good DIR/bad -- --to nhwc -d DIR/out")
	if code != 3 || out != "" || !strings.Contains(messages, "4 sources: 2 made, 0 skipped, 2 failed") {
		t.Errorf("exit code %d, %q, %s", code, out, messages)
	}
	lines, err := os.ReadFile(filepath.Join(dir, "lines"))
	counts := map[string]int{}
	for _, o := range decode(t, string(lines)) {
		counts[o.Result+o.Class]++
	}
	if err != nil || counts["made"] != 2 || counts["failedmalformed"] != 2 || len(counts) != 2 {
		t.Errorf("--outcomes: %v %v", counts, err)
	}
	if code, _, messages := remote("DIR/good -- --to nhwc -d DIR/out --update"); code != 0 || !strings.Contains(messages, "2 skipped") {
		t.Errorf("again: exit code %d, %s", code, messages)
	}
	code, _, messages = remote("--worker_binary none DIR/good -- --to nhwc -d DIR/none")
	if code != 5 || !strings.Contains(messages, "the pipeline failed: open none") {
		t.Errorf("no program for the workers: exit code %d, %s", code, messages)
	}
	code, _, messages = remote("--async DIR/good -- --to nhwc -d DIR/later")
	if code != 0 || !strings.Contains(messages, "submitted 2 sources") {
		t.Errorf("--async: exit code %d, %s", code, messages)
	}
	for range 300 {
		if made, _ := filepath.Glob(filepath.Join(dir, "later", "*.npy")); len(made) == 2 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("--async: no results after 30 s")
}

// With workers in this process, outcomes are on standard output.
func (s server) loopback(t *testing.T) {
	dir := sources(t)
	args := "--runner universal --environment_type LOOPBACK --endpoint " + s.endpoint + " good bad -- --to nhwc -d out"
	code, out, messages := start(t, dir, nil, strings.Fields(args)...)
	if list := decode(t, out); code != 3 || len(list) != 4 || !strings.Contains(messages, `"bad/c.npy"`) {
		t.Errorf("exit code %d, %+v, %s", code, list, messages)
	}
}
