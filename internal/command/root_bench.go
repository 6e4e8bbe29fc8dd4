//go:build !js

package command

import "github.com/tlayout/tlayout/internal/command/benchcmd"

var benchEntry = entry{compare, "bench", benchcmd.NewCmd, "benchmark time perf profile"}

var benchDocuments = benchcmd.Documents
