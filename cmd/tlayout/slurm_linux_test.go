package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/random"
)

// slurmConf configures a cluster of this machine alone, on the loopback device, without authentication. Its arguments are the folder and the
// host's name. A requeued task waits until its credentials expire.
const slurmConf = `ClusterName=tlayout
SlurmctldHost=%[2]s(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
AuthInfo=cred_expire=10
CredType=cred/none
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd.pid
SlurmctldLogFile=%[1]s/slurmctld.log
SlurmdLogFile=%[1]s/slurmd.log
SlurmctldPort=17501
SlurmdPort=17502
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
MpiDefault=none
SwitchType=switch/none
NodeName=%[2]s NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=%[2]s Default=YES MaxTime=INFINITE State=UP
`

// slurm is a cluster with tlayout in its path, and its jobs' folder.
type slurm struct {
	t    *testing.T
	dir  string
	env  []string
	draw *rand.Rand // whom to kill
}

// startSlurm starts the cluster, or skips the test.
func startSlurm(t *testing.T) *slurm {
	if os.Getenv("TLAYOUT_TEST_SLURM") == "" {
		t.Skip("make verify-slurm starts a cluster")
	}
	s := &slurm{t: t, dir: t.TempDir(), draw: random.New(t)}
	for _, dir := range []string{"state", "spool", "bin"} {
		if err := os.Mkdir(filepath.Join(s.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host, _, _ := strings.Cut(fixture.Must(os.Hostname()), ".")
	conf := filepath.Join(s.dir, "slurm.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, slurmConf, s.dir, host), 0o644); err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "SLURM_CONF="+conf, "PATH="+filepath.Join(s.dir, "bin")+":"+os.Getenv("PATH"))
	s.run("go", "build", "-o", s.program(), fixture.Must(filepath.Abs(".")))
	s.daemon("slurmctld", "-D", "-i")
	s.daemon("slurmd", "-D", "-N", host)
	for range 300 {
		if out, err := s.command("sinfo", "--noheader", "--format=%T").Output(); err == nil && strings.TrimSpace(string(out)) == "idle" {
			return s
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("the node is not idle after a minute: %s", s.run("sinfo"))
	return nil
}

func (s *slurm) program() string { return filepath.Join(s.dir, "bin", "tlayout") }

func (s *slurm) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = s.env, s.dir
	if name == "go" {
		cmd.Dir = ""
	}
	return cmd
}

// run runs a command that must succeed.
func (s *slurm) run(name string, args ...string) string {
	s.t.Helper()
	out, err := s.command(name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// daemon starts a program that runs until the test ends.
func (s *slurm) daemon(name string, args ...string) {
	cmd := s.command(name, args...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
}

// sbatch is the command that submits the documented example with these arguments.
func (s *slurm) sbatch(tasks int, args ...string) *exec.Cmd {
	example := fixture.Must(filepath.Abs("../../examples/slurm/convert.sh"))
	args = append([]string{"--parsable", "--output=%A_%a.log", fmt.Sprintf("--array=0-%d", tasks-1), example}, args...)
	return s.command("sbatch", args...)
}

// submit submits the example, and returns the array's number.
func (s *slurm) submit(tasks int, args ...string) string {
	s.t.Helper()
	out, err := s.sbatch(tasks, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("sbatch: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// wait waits until no task is queued or runs.
func (s *slurm) wait() {
	s.t.Helper()
	for end := time.Now().Add(8 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if strings.TrimSpace(s.run("squeue", "--noheader")) == "" {
			return
		}
	}
	s.t.Fatalf("jobs do not end: %s", s.run("squeue"))
}

// restarts returns how often tasks of an array were requeued, and the exit codes of their last tries.
func (s *slurm) restarts(array string) (n int, codes map[string]int) {
	codes = map[string]int{}
	for _, field := range strings.Fields(s.run("scontrol", "show", "job", array)) {
		if value, ok := strings.CutPrefix(field, "Restarts="); ok {
			n += fixture.Must(strconv.Atoi(value))
		}
		if value, ok := strings.CutPrefix(field, "ExitCode="); ok {
			codes[value]++
		}
	}
	return n, codes
}

// missing returns the number of results that the documented last command says are missing; its exit code is 1 if there are any.
func (s *slurm) missing(args ...string) int {
	s.t.Helper()
	var total batch.Summary
	cmd := s.command(s.program(), append(append([]string{"convert"}, args...), "--update", "--dry-run", "--json")...)
	out, _ := cmd.Output()
	if err := json.Unmarshal(out, &total); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	missing := total.Units - total.Skipped
	if code := cmd.ProcessState.ExitCode(); code != min(missing, 1) {
		s.t.Errorf("%d results are missing, and the exit code is %d", missing, code)
	}
	return missing
}

// results returns the files below a folder, without names that begin with a dot, which are tlayout's own.
func results(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	files := map[string]fs.FileInfo{}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d == nil {
			return nil // the folder does not exist yet
		}
		switch hidden := strings.HasPrefix(d.Name(), "."); {
		case err != nil:
		case d.IsDir() && hidden:
			return filepath.SkipDir
		case !d.IsDir() && !hidden:
			if info, err := d.Info(); err == nil {
				files[fixture.Must(filepath.Rel(dir, path))] = info
			}
		}
		return nil
	})
	return files
}

// Two concurrent arrays over the same sources, whose tasks are killed at random, make every file once and completely; a second run writes nothing.
func TestSlurmArray(t *testing.T) {
	s := startSlurm(t)
	files, tasks, kills := envCount("TLAYOUT_TEST_SLURM_FILES", 400), 8, envCount("TLAYOUT_TEST_SLURM_KILLS", 6)
	in, out, want := filepath.Join(s.dir, "in"), filepath.Join(s.dir, "out"), filepath.Join(s.dir, "want")
	for i := range files {
		dir := filepath.Join(in, strconv.Itoa(i%17))
		os.MkdirAll(dir, 0o755)
		content := fixture.Must(fixture.Npy("float32", []int{1 + i%3, 3 + i%5, 20 + i%90, 40}, false))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d.npy", i)), append(content[:len(content)-4], byte(i), byte(i>>8), 0, 0), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.run(s.program(), "convert", in, "--to", "nhwc", "-d", want)

	stop := make(chan bool)
	var watched, replaced atomic.Int64
	var watcher sync.WaitGroup
	watcher.Go(func() { watchResults(t, out, want, stop, &watched, &replaced) })
	args := []string{in, "--to", "nhwc", "-d", out, "--jobs", "1"}
	if n := s.missing(args...); n != files {
		t.Errorf("%d results are missing at first, of %d", n, files)
	}
	first, second := s.submit(tasks, args...), s.submit(tasks, args...)
	killed := s.kill(kills, first, second)
	s.wait()
	restarts := 0
	for _, array := range []string{first, second} {
		n, codes := s.restarts(array)
		t.Logf("array %s: queued again %d times, exit codes %v", array, n, codes)
		restarts += n
	}
	s.submit(tasks, args...)
	s.submit(tasks, args...)
	s.wait()
	close(stop)
	watcher.Wait()

	made := results(t, out)
	lost, wrong := 0, 0
	for name := range results(t, want) {
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			lost++
		} else if !bytes.Equal(content, fixture.Must(os.ReadFile(filepath.Join(want, name)))) {
			wrong++
		}
	}
	if lost+wrong > 0 || len(made) != files || replaced.Load() > 0 {
		t.Errorf("of %d files %d are lost, %d are wrong, %d were written twice; there are %d", files, lost, wrong, replaced.Load(), len(made))
	}
	s.submit(tasks, args...)
	s.wait()
	for name, info := range results(t, out) {
		if before := made[name]; before == nil || !os.SameFile(before, info) || !before.ModTime().Equal(info.ModTime()) {
			t.Errorf("the second run wrote %s", name)
		}
	}
	if n := s.missing(args...); n != 0 {
		t.Errorf("%d results are missing in the end", n)
	}
	t.Logf("%d files, two arrays of %d tasks at once, killed %v, queued again %d times; %d files read while they were made; lost %d, wrong %d, written twice %d",
		files, tasks, killed, restarts, watched.Load(), lost, wrong, replaced.Load())
}

// kill ends n running tasks in one of three ways, and counts them.
func (s *slurm) kill(n int, arrays ...string) map[string]int {
	killed := map[string]int{}
	for end := time.Now().Add(3 * time.Minute); n > 0 && time.Now().Before(end); {
		running := strings.Fields(s.run("squeue", "--noheader", "--states=running", "--array", "--format=%i", "--jobs="+strings.Join(arrays, ",")))
		pids := s.converting()
		switch way := s.draw.IntN(4); {
		case len(running) == 0 && strings.TrimSpace(s.run("squeue", "--noheader")) == "":
			return killed
		case way < 2 && len(pids) > 0:
			time.Sleep(time.Duration(s.draw.Int64N(int64(100 * time.Millisecond))))
			if syscall.Kill(pids[s.draw.IntN(len(pids))], syscall.SIGKILL) == nil {
				killed["kill -9 of tlayout"]++
				n--
			}
		case way == 2 && len(running) > 0:
			if s.command("scancel", "--signal=KILL", "--full", running[s.draw.IntN(len(running))]).Run() == nil {
				killed["scancel --signal=KILL --full"]++
				n--
			}
		case way == 3 && len(running) > 0:
			if s.command("scancel", running[s.draw.IntN(len(running))]).Run() == nil {
				killed["scancel"]++
				n--
			}
		}
	}
	return killed
}

// converting returns the processes of tlayout in this cluster.
func (s *slurm) converting() (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == s.program() {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// watchResults reads visible results until it is stopped: each is complete, and never replaced.
func watchResults(t *testing.T, out, want string, stop chan bool, watched, replaced *atomic.Int64) {
	seen := map[string]fs.FileInfo{}
	for {
		for name, info := range results(t, out) {
			if before := seen[name]; before != nil {
				if !os.SameFile(before, info) {
					replaced.Add(1)
				}
				continue
			}
			seen[name] = info
			watched.Add(1)
			content, err := os.ReadFile(filepath.Join(out, name))
			if expected, _ := os.ReadFile(filepath.Join(want, name)); err != nil || !bytes.Equal(content, expected) {
				t.Errorf("%s is visible before it is whole, or is wrong", name)
			}
		}
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A task with a malformed source is not retried; one that cannot write is retried TRIES times. sbatch --wait ends after the last try, with
// the exit code of the worst task.
func TestSlurmExitCodes(t *testing.T) {
	s := startSlurm(t)
	s.env = append(s.env, "TRIES=2")
	for _, c := range []struct {
		name     string
		source   string
		folder   string // in the way of the result
		code     string
		restarts int
	}{
		{"malformed", "not an array", "out", "3:0", 0},
		{"in the way", string(fixture.Must(fixture.Npy("<f4", []int{1, 3, 16, 16}, false))), "out/x.nhwc.npy", "5:0", 2},
	} {
		in, out := filepath.Join(s.dir, c.name, "in"), filepath.Join(s.dir, c.name, "out")
		for _, dir := range []string{in, filepath.Join(s.dir, c.name, c.folder)} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(in, "x.npy"), []byte(c.source), 0o644); err != nil {
			t.Fatal(err)
		}
		wait := s.sbatch(1, in, "--to", "nhwc", "-d", out)
		wait.Args = slices.Insert(wait.Args, 1, "--wait")
		number, _ := wait.Output()
		array := strings.TrimSpace(string(number))
		if code := wait.ProcessState.ExitCode(); fmt.Sprintf("%d:0", code) != c.code {
			t.Errorf("%s: sbatch --wait: exit code %d, not %s", c.name, code, c.code)
		}
		if n, codes := s.restarts(array); n != c.restarts || codes[c.code] != 1 {
			said, _ := os.ReadFile(filepath.Join(s.dir, array+"_0.log"))
			t.Errorf("%s: queued again %d times, not %d; exit codes %v, not %s: %s", c.name, n, c.restarts, codes, c.code, said)
		}
	}
}

// The script asks for another try after exit code 5 and after a signal, and after nothing else. It is tried without Slurm.
func TestSlurmRequeue(t *testing.T) {
	const script = `tlayout() { return $0; }; scontrol() { echo "$@"; false; }; . ../../examples/slurm/convert.sh`
	for code, requeued := range map[int]bool{0: false, 1: false, 2: false, 3: false, 4: false, 5: true, 137: true, 143: true} {
		cmd := exec.Command("sh", "-c", script, strconv.Itoa(code))
		out, _ := cmd.Output()
		if strings.HasPrefix(string(out), "requeue ") != requeued || cmd.ProcessState.ExitCode() != code {
			t.Errorf("exit code %d: %q, exit code %d", code, out, cmd.ProcessState.ExitCode())
		}
	}
}

// envCount returns a number from the environment.
func envCount(name string, other int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return other
}
