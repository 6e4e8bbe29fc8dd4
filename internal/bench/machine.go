package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
)

// ThisMachine describes the machine that the program runs on.
func ThisMachine(k *kernel.Kernels, version string) Machine {
	c := cpuid.CPU
	name := strings.Join(strings.Fields(c.BrandName), " ")
	if name == "" {
		name = "unknown"
	}
	return Machine{CPU: name, Cores: runtime.NumCPU(), L1: max(0, c.Cache.L1D), L2: max(0, c.Cache.L2), L3: max(0, c.Cache.L3),
		Memory: freeMemory("/"), Kernels: k.Name(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Tlayout: version}
}

// freeMemory is how many bytes Linux says can be had without swapping, or fewer where the program's control group may
// take fewer; 0 where nobody tells. root is "/".
func freeMemory(root string) int64 {
	var free int64
	for line := range strings.Lines(read(root, "proc/meminfo")) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemAvailable:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			free = kib << 10
		}
	}
	_, group, _ := strings.Cut(strings.TrimSpace(read(root, "proc/self/cgroup")), "0::")
	dir := filepath.Join("sys/fs/cgroup", strings.TrimSpace(group))
	number := func(name string) (int64, error) {
		return strconv.ParseInt(strings.TrimSpace(read(root, filepath.Join(dir, name))), 10, 64)
	}
	most, err := number("memory.max")
	used, _ := number("memory.current")
	for line := range strings.Lines(read(root, filepath.Join(dir, "memory.stat"))) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "inactive_file" {
			cached, _ := strconv.ParseInt(fields[1], 10, 64)
			used -= cached // the page cache makes room
		}
	}
	if left := most - used; err == nil && (free == 0 || left < free) {
		return max(left, 1)
	}
	return free
}

// read is the text of a file, "" where it cannot be read.
func read(root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// MachineCache is the geometry of this machine's caches, l1=48K,12,64 l2=…, as Linux tells it. It fails with Unsupported
// where nobody does.
func MachineCache() (string, error) { return machineCache("/sys/devices/system/cpu/cpu0/cache") }

func machineCache(dir string) (string, error) {
	var levels []string
	for i := range 8 {
		index := filepath.Join(dir, fmt.Sprintf("index%d", i))
		fact := func(name string) string { return strings.TrimSpace(read(index, name)) }
		if kind := fact("type"); kind != "Data" && kind != "Unified" {
			continue
		}
		level, size, ways, line := fact("level"), fact("size"), fact("ways_of_associativity"), fact("coherency_line_size")
		if level != "" && size != "" && ways != "" && line != "" {
			levels = append(levels, fmt.Sprintf("l%s=%s,%s,%s", level, size, ways, line))
		}
	}
	if len(levels) == 0 {
		return "", fault.New(fault.Unsupported, "nobody tells the geometry of this machine's caches").
			WithHint("say it: --cache l1=48K,12,64 --cache l2=2M,16,64")
	}
	return strings.Join(levels, " "), nil
}
