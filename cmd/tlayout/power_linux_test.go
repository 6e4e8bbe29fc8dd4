package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

// durable are commands whose result is on disk when they exit with 0.
var durable = []replacement{
	{args: "convert b.npy --to nchw4 -o OUT.npz --durable"},
	{args: "convert b.npy --to nhwc -o OUT.npy --force", present: true},
	{args: "convert b.npy --to nhwc -o OUT.npy --durable", named: true},
	{args: "convert b.npy --to nchw4 -o OUT.npz --force --verify", present: true, named: true},
	{args: "convert model.pt -o OUT.safetensors --durable"},
	{args: "convert m.safetensors -o OUT.pt --force", present: true},
	{args: "convert weights.npz --to c -o OUT.npz --force --durable", present: true},
	{args: "convert model.pt -d OUT/ --durable"},
	{args: "convert model.pt -d OUT/ --force", present: true},
	{args: "draw small.npy -o OUT.svg --force", present: true},
	{args: measure + " -o OUT.json --force", present: true},
}

// TestPowerCut: after a power cut, the durable result of a command that exited with 0 exists; that of an interrupted one is old, new or
// absent. The kernel's shutdown call simulates the cut, with the journal flushed or not; then the file system is mounted again.
func TestPowerCut(t *testing.T) {
	need.Root(t)
	need.Loop(t)
	after, during := countTrials(t), countTrials(t)
	d := newDisk(t)
	for _, r := range durable {
		s := newStage(t, r)
		for i := range (rounds(1) + 1) / 2 {
			for _, journal := range []int{flushJournal, dropJournal} {
				for _, c := range []*trials{after, during} {
					d.try(t, s, c, journal, c == during, fmt.Sprintf("%v, trial %d, journal %d", r, i, journal))
				}
			}
		}
	}
}

// Ways to shut down a file system: EXT4_IOC_SHUTDOWN of linux/fs/ext4/ext4.h and its flags.
const (
	shutdownRequest = 0x8004587d
	flushJournal    = 1
	dropJournal     = 2
)

// disk is an ext4 file system in a file.
type disk struct{ device, root string }

func newDisk(t *testing.T) *disk {
	t.Helper()
	dir := t.TempDir()
	image := filepath.Join(dir, "image")
	d := &disk{root: filepath.Join(dir, "mounted")}
	cli.Must(errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 16<<20), os.Mkdir(d.root, 0o700)))
	for _, words := range []string{"mkfs.ext4 -q -F " + image, "losetup --find --show " + image} {
		fields := strings.Fields(words)
		out, err := exec.Command(fields[0], fields[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", words, err, out)
		}
		d.device = strings.TrimSpace(string(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", d.device).CombinedOutput(); err != nil {
			t.Errorf("losetup: %v: %s", err, out)
		}
	})
	return d
}

// mount mounts the disk. The journal is replayed as after a crash.
func (d *disk) mount(t *testing.T) {
	t.Helper()
	if err := syscall.Mount(d.device, d.root, "ext4", 0, ""); err != nil {
		t.Fatalf("mount: %v", err)
	}
}

// cut simulates a power cut of the disk.
func (d *disk) cut(t *testing.T, journal int) {
	t.Helper()
	root := fixture.Must(os.Open(d.root))
	defer root.Close()
	if err := unix.IoctlSetPointerInt(int(root.Fd()), shutdownRequest, journal); err != nil {
		t.Fatalf("shutdown: %v", err)
	}
}

// try runs a program in the folder out of the disk, cuts the power during or after the run, and checks the files.
func (d *disk) try(t *testing.T, s *stage, c *trials, journal int, early bool, what string) {
	t.Helper()
	d.mount(t)
	out := filepath.Join(s.dir, "out")
	cli.Must(os.RemoveAll(out))
	cli.Must(os.RemoveAll(filepath.Join(d.root, "out")))
	cli.Must(errors.Join(os.Mkdir(filepath.Join(d.root, "out"), 0o777), os.Symlink(filepath.Join(d.root, "out"), out)))
	s.reset()
	root := fixture.Must(os.Open(d.root))
	cli.Must(errors.Join(unix.Syncfs(int(root.Fd())), root.Close()))
	cmd := s.command()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	cli.Must(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if early {
		time.Sleep(time.Duration(s.draw.Int64N(int64(s.took))))
		d.cut(t, journal)
	}
	<-ended
	by, code := ending(cmd)
	if !early {
		d.cut(t, journal)
	}
	unmount(t, d.root)
	d.mount(t)
	state := s.state()
	var problems []string
	if !early && code != 0 || by != 0 || code != 0 && code != 5 || code == 0 && state != "new" || !s.allowed(state) {
		problems = append(problems, fmt.Sprintf("ended by %v, code %d; after the power cut the result is %s: %s", by, code, state, &stderr))
	}
	c.try(t, what, fmt.Sprintf("exit code %d, %s", code, state), problems...)
	unmount(t, d.root)
}
