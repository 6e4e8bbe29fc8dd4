package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/promise"
)

// TestOthersSettings: root and nobody read each other's settings files only if the other one cannot change them. Both try all of these.
func TestOthersSettings(t *testing.T) {
	promise.Needs(t, promise.Root) // to act as two users
	const root, nobody = 0, 65534
	base := openFolder(t)
	program := filepath.Join(base, "tlayout")
	cli.Must(os.WriteFile(program, fixture.Must(os.ReadFile(fixture.Must(os.Executable()))), 0o755))
	for _, c := range []struct {
		name          string
		folder        os.FileMode
		folderOf      int
		file          os.FileMode
		fileOf        int
		link          bool // nobody's link to the file in a folder of root
		user          bool // in the user's configuration folder
		byRoot, byOne string
	}{
		{name: "own", folder: 0o755, file: 0o644},
		{name: "private", folder: 0o755, file: 0o600, byOne: "permission denied"},
		{name: "of nobody", folder: 0o755, file: 0o644, fileOf: nobody, byRoot: "it belongs to another user (uid 65534)"},
		{name: "of nobody in tmp", folder: 0o777 | os.ModeSticky, file: 0o644, fileOf: nobody, byRoot: "it belongs to another user (uid 65534)"},
		{name: "of root in tmp", folder: 0o777 | os.ModeSticky, file: 0o644},
		{name: "of root in a folder of nobody", folder: 0o755, folderOf: nobody, file: 0o644},
		{name: "anybody's file", folder: 0o755, file: 0o666, byRoot: "it is writable by others", byOne: "it is writable by others"},
		{name: "anybody's folder", folder: 0o777, file: 0o644, byRoot: "its folder is writable by others", byOne: "its folder is writable by others"},
		{name: "the group's file", folder: 0o755, file: 0o664, byOne: "it is writable by others"},
		{name: "link", folder: 0o777 | os.ModeSticky, file: 0o644, link: true, byRoot: "it belongs to another user (uid 65534)"},
		{name: "user's", user: true, folder: 0o755, file: 0o644, fileOf: nobody, byRoot: "it belongs to another user (uid 65534)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(base, c.name)
			path := filepath.Join(dir, ".tlayout.yaml")
			if c.user {
				path = filepath.Join(dir, "tlayout", "config.yaml")
			}
			file := path
			cli.Must(os.MkdirAll(filepath.Dir(path), 0o755))
			if c.link {
				file = filepath.Join(base, "target.yaml")
				cli.Must(errors.Join(os.Symlink(file, path), os.Lchown(path, nobody, nobody)))
			}
			cli.Must(errors.Join(
				os.WriteFile(file, []byte("inspect: {format: csv}\n"), 0o600), os.Chown(file, c.fileOf, c.fileOf), os.Chmod(file, c.file),
				os.Chown(dir, c.folderOf, c.folderOf), os.Chmod(dir, c.folder)))
			for user, want := range map[int]string{root: c.byRoot, nobody: c.byOne} {
				cmd := exec.Command(program, "inspect", "--shape", "2,3")
				cmd.Dir = dir
				cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
				if c.user {
					cmd.Dir = base
					cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+dir)
				}
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
				var stderr strings.Builder
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("user %d: %v: %s", user, err, &stderr)
				}
				if read := strings.HasPrefix(string(out), "source,"); read != (want == "") {
					t.Errorf("user %d: read: %t; %s", user, read, &stderr)
				}
				if want != "" && !strings.Contains(stderr.String(), "is ignored: "+want) || want == "" && stderr.Len() > 0 {
					t.Errorf("user %d: says %q, expected %q", user, &stderr, want)
				}
			}
		})
	}
}

// openFolder is a temporary folder that other users can search.
func openFolder(t *testing.T) string {
	dir := t.TempDir()
	cli.Must(errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755)))
	return dir
}

// TestTypedOnly: no settings file sets a flag that names a file to write, allows replacing, opening or trusting one, or runs a program.
func TestTypedOnly(t *testing.T) {
	reads := map[string]bool{"config": true, "baseline": true}
	acts := map[string]bool{"force": true, "open": true, "summary": true, "update": true, "list": true, "trust-values": true, "with": true}
	found := 0
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			writes := f.Value.Type() == "file" && !reads[f.Name] || acts[f.Name]
			_, typed := f.Annotations["typed_only"]
			if writes != typed {
				t.Errorf("%s --%s: writes or acts: %t, typed only: %t", c.Name(), f.Name, writes, typed)
			}
			if writes {
				found++
			}
			if name := f.Name; (name == "output" || name == "dir") && f.Value.Type() != "file" {
				t.Errorf("%s --%s has type %s", c.Name(), name, f.Value.Type())
			}
		})
	}
	if found < 8 {
		t.Errorf("%d flags found", found)
	}
}
