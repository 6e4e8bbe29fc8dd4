package bench

import (
	"os"
	"path/filepath"
	"testing"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Free memory is that of the machine, or less if a control group allows less; unknown is 0.
func TestFreeMemory(t *testing.T) {
	const info = "MemTotal:       100 kB\nMemAvailable:   80 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unknown":  {nil, 0},
		"no limit": {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 80 << 10},
		"a limit": {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "40960\n",
			"sys/fs/cgroup/a/memory.current": "12000\n", "sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 2000\n"}, 30960},
		"version 1": {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "5:cpu:/x\n4:memory:/b\n",
			"sys/fs/cgroup/memory/b/memory.limit_in_bytes": "50000\n", "sys/fs/cgroup/memory/b/memory.usage_in_bytes": "3000\n",
			"sys/fs/cgroup/memory/b/memory.stat": "total_inactive_file 1000\n"}, 48000},
		"a used up limit": {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4\n",
			"sys/fs/cgroup/memory.current": "8\n"}, 1},
	} {
		if got := freeMemory(writeFiles(t, c.files)); got != c.want {
			t.Errorf("%s: %d, expected %d", name, got, c.want)
		}
	}
}

// The geometry is that of the data caches, nearest first.
func TestMachineCache(t *testing.T) {
	files := map[string]string{}
	for index, facts := range [][5]string{{"1", "Data", "48K", "12", "64"}, {"1", "Instruction", "64K", "16", "64"}, {"2", "Unified", "2048K", "16", "64"}} {
		for i, name := range []string{"level", "type", "size", "ways_of_associativity", "coherency_line_size"} {
			files[filepath.Join("index"+string(rune('0'+index)), name)] = facts[i] + "\n"
		}
	}
	got, err := machineCache(writeFiles(t, files))
	if want := "l1=48K,12,64 l2=2048K,16,64 l3=none"; got != want || err != nil {
		t.Errorf("%q, %v, expected %q", got, err, want)
	}
	if _, err := machineCache(t.TempDir()); err == nil {
		t.Error("no error without sysfs")
	}
}
