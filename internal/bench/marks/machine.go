package marks

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// machine is where and when something was measured.
type machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	L2        string `json:"l2"`
	L3        string `json:"l3"`
	HugePages string `json:"huge_pages"`
	Kernels   string `json:"kernels"`
	Go        string `json:"go"`
	Date      string `json:"date"`
}

func thisMachine(date string) machine {
	m := machine{CPU: "unknown", L2: "unknown", L3: "unknown", HugePages: "unknown"}
	m.Cores, m.Kernels, m.Go, m.Date = runtime.NumCPU(), kernel.Best().Level.String(), runtime.Version(), date
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = cpuModel(string(text))
	}
	m.readCaches("/sys/devices/system/cpu/cpu0/cache")
	if text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err == nil {
		m.HugePages = chosen(string(text))
	}
	return m
}

// cpuModel is the first model name of /proc/cpuinfo.
func cpuModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// readCaches takes the sizes that the kernel read by cpuid.
func (m *machine) readCaches(dir string) {
	for _, index := range []string{"index0", "index1", "index2", "index3"} {
		level, levelErr := os.ReadFile(filepath.Join(dir, index, "level"))
		size, sizeErr := os.ReadFile(filepath.Join(dir, index, "size"))
		if levelErr != nil || sizeErr != nil {
			continue
		}
		switch strings.TrimSpace(string(level)) {
		case "2":
			m.L2 = strings.TrimSpace(string(size))
		case "3":
			m.L3 = strings.TrimSpace(string(size))
		}
	}
}

// chosen is the bracketed word of "always [madvise] never".
func chosen(setting string) string {
	_, rest, _ := strings.Cut(setting, "[")
	word, _, ok := strings.Cut(rest, "]")
	if !ok {
		return "unknown"
	}
	return word
}
