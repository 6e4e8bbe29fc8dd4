package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

// runner has what a CI machine gives the steps of action.yml: folders, files, and a release instead of the network.
type runner struct {
	t    *testing.T
	dir  string
	file string // the release's archive
}

// newRunner packs this program as a release.
func newRunner(t *testing.T) *runner {
	t.Helper()
	need.Programs(t, "bash", "curl", "tar", "sha256sum")
	dir := t.TempDir()
	r := &runner{t, dir, filepath.Join(dir, "releases", "v0.1.0", "tlayout_0.1.0_linux_"+runtime.GOARCH+".tar.gz")}
	cli.Must(os.MkdirAll(filepath.Dir(r.file), 0o755))
	cli.Must(os.MkdirAll(filepath.Join(dir, "temp"), 0o755))
	r.must("go", "build", "-o", filepath.Join(dir, "tlayout"), ".")
	r.must("tar", "-czf", r.file, "-C", dir, "tlayout")
	r.checksums(fmt.Sprintf("%x  %s\n", sha256.Sum256(fixture.Must(os.ReadFile(r.file))), filepath.Base(r.file)))
	return r
}

func (r *runner) checksums(text string) {
	cli.Must(os.WriteFile(filepath.Join(filepath.Dir(r.file), "checksums.txt"), []byte(text), 0o644))
}

func (r *runner) must(name string, args ...string) {
	r.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// step runs a script of the action, and returns its output, its exit code, and what it wrote to one of the runner's files.
func (r *runner) step(script string, env ...string) (out string, code int, wrote func(name string) string) {
	r.t.Helper()
	names := []string{"GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"}
	cmd := exec.Command("bash", fixture.Must(filepath.Abs("../../.github/action/"+script)))
	cmd.Dir = "../../testdata"
	cmd.Env = append(os.Environ(), "RUNNER_OS=Linux", "RUNNER_ARCH=", "RUNNER_TEMP="+filepath.Join(r.dir, "temp"),
		"RELEASE=v0.1.0", "RELEASES=file://"+filepath.Join(r.dir, "releases"), "REQUIRE=", "ARGS=",
		"PATH="+filepath.Join(r.dir, "temp", "tlayout-v0.1.0")+":"+os.Getenv("PATH"))
	for _, name := range names {
		os.Remove(filepath.Join(r.dir, name))
		cmd.Env = append(cmd.Env, name+"="+filepath.Join(r.dir, name))
	}
	cmd.Env = append(cmd.Env, env...)
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		cmd.Env = append(cmd.Env, "RUNNER_ARCH="+map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH])
	}
	data, _ := cmd.CombinedOutput()
	return string(data), cmd.ProcessState.ExitCode(), func(name string) string {
		data, _ := os.ReadFile(filepath.Join(r.dir, name))
		return string(data)
	}
}

// TestAction runs the steps of action.yml with a release in a folder: an archive whose checksum differs from checksums.txt is not installed,
// and the answers of check and bench become outputs, an annotation and a summary, whatever the arguments are.
func TestAction(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("no release for " + runtime.GOARCH)
	}
	r := newRunner(t)
	out, code, wrote := r.step("install.sh")
	if code != 0 || !strings.Contains(wrote("GITHUB_PATH"), "tlayout-v0.1.0") || !strings.HasPrefix(out, "tlayout ") {
		t.Fatalf("install: %d\n%s%s", code, out, wrote("GITHUB_PATH"))
	}
	for _, c := range []struct {
		name         string
		env          []string
		code         int
		out, summary string
		output       string
	}{
		{"pass", []string{"COMMAND=check", "ARGS=photo.npy\n--from=nhwc\n--contiguous=channels_last\n"}, 0, "", "check passed", `"ok": true`},
		{"fail", []string{"COMMAND=check", "ARGS=photo.npy\r\n--from=nhwc\r\n--contiguous=f\n"}, 1,
			"::error title=tlayout check::photo.npy: contiguous: expected f", "    photo.npy: contiguous: expected f", "exit-code=1\n"},
		{"shell", []string{"COMMAND=check", "ARGS=$(touch pwned); `touch pwned` *\n--contiguous=c"}, 5,
			"::error title=tlayout check::error: cannot open \"$(touch pwned)", "    error: cannot open", "exit-code=5"},
		{"some", []string{"COMMAND=check", "ARGS=photo.npy\nnone.npy\n--from=nhwc\n--contiguous=f"}, 5,
			"::error title=tlayout check::error: cannot open \"none.npy\": no such file or directory", "    error: cannot open \"none.npy\": no such file", "exit-code=5"},
		{"flag", []string{"COMMAND=check", "ARGS=photo.npy\n--bad"}, 2, "::error title=tlayout check::error: unknown flag: --bad%0A", "--bad", "exit-code=2"},
		{"unended", []string{"COMMAND=bench", "ARGS=--quick\n--shape=2,8,6,6", "REQUIRE=nhwc.c <"}, 2,
			"::error title=tlayout bench::error: gate \"nhwc.c <\", column 9: unexpected end%0Ahint: a gate is FIGURE OP", "    hint: a gate is", "exit-code=2"},
		{"gate", []string{"COMMAND=bench", "ARGS=--quick\n--shape=2,8,6,6\n--layouts=nchw,nhwc\n--conversions=false", "REQUIRE=nhwc.channel.model.touches_per_elem < 0"}, 1,
			"::error title=tlayout bench::", "bench failed", `"schema": "tlayout/bench/v1"`},
		{"command", []string{"COMMAND=convert", "ARGS=photo.npy"}, 2, "neither check nor bench", "", ""},
		{"input", []string{"COMMAND=check", "ARGS=photo.npy", "REQUIRE=a < 1"}, 2, "an input of command: bench", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, code, wrote := r.step("run.sh", c.env...)
			if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(wrote("GITHUB_STEP_SUMMARY"), c.summary) ||
				!strings.Contains(wrote("GITHUB_OUTPUT"), c.output) {
				t.Errorf("exit code %d\n%s\nsummary: %s\noutput: %s", code, out, wrote("GITHUB_STEP_SUMMARY"), wrote("GITHUB_OUTPUT"))
			}
			if _, err := os.Stat("../../testdata/pwned"); err == nil {
				t.Error("arguments were run by the shell")
			}
		})
	}
	for _, c := range []struct {
		crash, text string
		code        int
	}{
		{"echo panic: oh >&2; exit 2", "panic: oh", 2},
		{"kill -KILL $$", "exit code 137 without a message", 137},
		{"nothing-of-this-name", "nothing-of-this-name: command not found", 127},
	} {
		cli.Must(os.WriteFile(filepath.Join(r.dir, "tlayout"), []byte("#!/bin/bash\n"+c.crash+"\n"), 0o755))
		out, code, wrote := r.step("run.sh", "COMMAND=bench", "PATH="+r.dir+":"+os.Getenv("PATH"))
		summary := wrote("GITHUB_STEP_SUMMARY")
		if code != c.code || !strings.Contains(out, c.text) || !strings.Contains(summary, c.text) || strings.Contains(out, "the answer is no") {
			t.Errorf("%s: exit code %d\n%s\nsummary: %s", c.crash, code, out, summary)
		}
	}
	r.checksums(strings.Repeat("0", 64) + "  " + filepath.Base(r.file) + "\n")
	if out, code, wrote := r.step("install.sh"); code != 1 || !strings.Contains(out, "is not the file of checksums.txt") || wrote("GITHUB_PATH") != "" {
		t.Errorf("a wrong checksum: %d\n%s", code, out)
	}
	if out, code, _ := r.step("install.sh", "RELEASE=../v0.1.0"); code != 1 || !strings.Contains(out, "is not that of a release") {
		t.Errorf("a path as version: %d\n%s", code, out)
	}
}
