package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
)

// ThisMachine describes the machine.
func ThisMachine(k *kernel.Kernels, version string) Machine {
	c := cpuid.CPU
	name := strings.Join(strings.Fields(c.BrandName), " ")
	if name == "" {
		name = "unknown"
	}
	return Machine{CPU: name, Cores: runtime.NumCPU(), L1: max(0, c.Cache.L1D), L2: max(0, c.Cache.L2), L3: max(0, c.Cache.L3),
		Memory: freeMemory("/"), Kernels: k.Name(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Tlayout: version}
}

// freeMemory returns the bytes available without swapping on Linux, limited by the process's control group and its address space; 0 if
// unknown. root is "/".
func freeMemory(root string) int64 {
	var limits []int64
	for line := range strings.Lines(read(root, "proc/meminfo")) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemAvailable:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			limits = append(limits, kib<<10)
		}
	}
	for line := range strings.Lines(read(root, "proc/self/cgroup")) {
		if left, ok := groupMemory(root, strings.TrimSpace(line)); ok {
			limits = append(limits, max(left, 1))
		}
	}
	if left, ok := addressSpace(read(root, "proc/self/statm")); ok {
		limits = append(limits, max(left, 1))
	}
	if len(limits) == 0 {
		return 0
	}
	return slices.Min(limits)
}

// groupVersion is where a version of control groups has its numbers: files, and a line of memory.stat.
type groupVersion struct{ mount, limit, usage, cache string }

var (
	version1 = groupVersion{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	version2 = groupVersion{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
)

// groupMemory returns the bytes that a control group may still allocate. line is from /proc/self/cgroup: 0::/path of version 2, or
// 4:memory:/path of version 1. Inactive page cache counts as free.
func groupMemory(root, line string) (int64, bool) {
	words := strings.SplitN(line, ":", 3)
	if len(words) < 3 {
		return 0, false
	}
	controllers, path := words[1], words[2]
	version := version2
	if controllers != "" {
		if !slices.Contains(strings.Split(controllers, ","), "memory") {
			return 0, false
		}
		version = version1
	}
	dir := filepath.Join(version.mount, path)
	number := func(name string) (int64, error) {
		return strconv.ParseInt(strings.TrimSpace(read(root, filepath.Join(dir, name))), 10, 64)
	}
	bound, err := number(version.limit)
	if err != nil {
		return 0, false
	}
	used, _ := number(version.usage)
	for line := range strings.Lines(read(root, filepath.Join(dir, "memory.stat"))) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == version.cache {
			cached, _ := strconv.ParseInt(fields[1], 10, 64)
			used -= cached
		}
	}
	return bound - used, true
}

// read returns the text of a file, "" if it cannot be read.
func read(root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// MachineCache returns the geometry of this machine's caches, l1=48K,12,64 l2=…, from Linux's sysfs, which does not describe the TLB. It
// fails with Unsupported on other systems.
func MachineCache() (string, error) { return machineCache("/sys/devices/system/cpu/cpu0/cache") }

func machineCache(dir string) (string, error) {
	var levels []string
	for i := range 8 {
		index := filepath.Join(dir, fmt.Sprintf("index%d", i))
		fact := func(name string) string { return strings.TrimSpace(read(index, name)) }
		if kind := fact("type"); kind != "Data" && kind != "Unified" {
			continue
		}
		level := fact("level")
		sizes := []string{fact("size"), fact("ways_of_associativity"), fact("coherency_line_size")}
		if level != "" && !slices.Contains(sizes, "") {
			levels = append(levels, "l"+level+"="+strings.Join(sizes, ","))
		}
	}
	if len(levels) == 0 {
		return "", fault.New(fault.Unsupported, "cannot determine this machine's cache geometry").
			WithHint("pass --cache l1=48K,12,64 --cache l2=2M,16,64")
	}
	for _, outer := range []string{"l2", "l3"} {
		if !slices.ContainsFunc(levels, func(l string) bool { return strings.HasPrefix(l, outer) }) {
			levels = append(levels, outer+"=none")
		}
	}
	return strings.Join(levels, " "), nil
}
