package promise

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Need is a requirement that a machine may lack.
type Need struct {
	name     string
	probe    func() error // nil if met; called once
	optional func() bool  // reports whether this machine cannot be configured to meet it
}

// Requirements of the fault tests.
var (
	Root   = Need{"root", sync.OnceValue(probeRoot), notLinux}
	Strace = Need{"strace", sync.OnceValue(probeStrace), notLinux}
	Loop   = Need{"loop devices", sync.OnceValue(probeLoop), noLoop}

	Terminals = Need{"pseudo-terminals", sync.OnceValue(probeTerminals), notLinux}
	Namespace = Need{"a PID namespace", sync.OnceValue(probeNamespace), noNamespace}
	Installer = Need{"bash, curl, tar and sha256sum", sync.OnceValue(probeInstaller), notLinux}
)

func notLinux() bool { return runtime.GOOS != "linux" }

func probeRoot() error {
	if os.Getuid() != 0 {
		return errors.New("run as another user")
	}
	return nil
}

func probeStrace() error {
	return command("strace", "-f", "-e", "inject=close:error=EIO:when=999", "-o", os.DevNull, "true")
}

func probeTerminals() error {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func probeNamespace() error { return command("unshare", "--pid", "--fork", "true") }

// noNamespace reports whether the kernel forbids PID namespaces here, as in a container.
func noNamespace() bool {
	err := probeNamespace()
	return notLinux() || err != nil && strings.Contains(err.Error(), "Operation not permitted")
}

func probeInstaller() error {
	var missing []error
	for _, program := range []string{"bash", "curl", "tar", "sha256sum"} {
		_, err := exec.LookPath(program)
		missing = append(missing, err)
	}
	return errors.Join(missing...)
}

// noLoop reports whether loop devices are missing or forbidden, as in a container.
func noLoop() bool {
	_, err := os.Stat("/dev/loop-control")
	return err != nil
}

// probeLoop mounts an empty ext4 file system from a file.
func probeLoop() error {
	dir, err := os.MkdirTemp("", "tlayout-loop")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	image := filepath.Join(dir, "image")
	mounted := filepath.Join(dir, "mounted")
	if err := errors.Join(probeRoot(), os.WriteFile(image, nil, 0o600), os.Truncate(image, 4<<20), os.Mkdir(mounted, 0o700)); err != nil {
		return err
	}
	if err := command("mkfs.ext4", "-q", "-F", image); err != nil {
		return err
	}
	if err := command("mount", "-o", "loop", image, mounted); err != nil {
		return err
	}
	return command("umount", mounted)
}

// command runs a program, and returns its output as an error if it fails.
func command(words ...string) error {
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", words[0], err, out)
	}
	return nil
}
