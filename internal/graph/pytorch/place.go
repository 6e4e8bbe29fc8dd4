package pytorch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/graph"
)

// Stack returns the innermost line of a Python stack that is not PyTorch's.
func Stack(stack string) graph.Place {
	lines := strings.Split(strings.TrimRight(stack, "\n"), "\n")
	for i, line := range slices.Backward(lines) {
		file, rest, ok := strings.Cut(strings.TrimSpace(line), `", line `)
		if !ok || !strings.HasPrefix(file, `File "`) || IsOwn(file) {
			continue
		}
		number, _, _ := strings.Cut(rest, ",")
		p := graph.Place{File: BaseName(strings.TrimPrefix(file, `File "`))}
		p.Line, _ = strconv.Atoi(number)
		if i+1 < len(lines) {
			p.Code = strings.TrimSpace(lines[i+1])
		}
		return p
	}
	return graph.Place{}
}

// IsOwn reports whether a file is one of PyTorch's own, or of tlayout's module, which runs a model for its profile.
func IsOwn(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	return slices.ContainsFunc([]string{"torch/", "tlayout/"}, func(module string) bool {
		return strings.HasPrefix(file, module) || strings.Contains(file, "-packages/"+module)
	})
}

// BaseName returns a file's name without its folder, on any system.
func BaseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }
