package main

import (
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// outputStem is what the name of the output begins with: that of the source without its ending. For x.npz:w it is x.w.
func outputStem(name string, m *source.Member) (string, error) {
	if m == nil {
		return strings.TrimSuffix(strings.TrimSuffix(name, source.DescriptorSuffix), ".npy"), nil
	}
	array := strings.TrimSuffix(m.Name, ".npy")
	if array == "" || len(array) > 100 || strings.ContainsAny(array, `/\:*?"<>|`) || fault.Quote(array) != array {
		return "", fault.New(fault.Usage, `the array's name "%s" cannot be part of a file's name`, fault.Quote(array)).
			WithHint("--out names the output")
	}
	archive := m.Archive
	if strings.EqualFold(filepath.Ext(archive), ".npz") {
		archive = archive[:len(archive)-len(".npz")]
	}
	return archive + "." + array, nil
}
