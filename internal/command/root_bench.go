//go:build !js

package command

import "github.com/tlayout/tlayout/internal/command/bench"

var benchEntry = entry{compare, "bench", bench.NewCmd, "benchmark time perf profile"}
