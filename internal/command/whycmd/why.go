// Package whycmd is tlayout why, which explains error messages about memory layouts.
package whycmd

import (
	"io"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: schema, Prints: "why", Type: reflect.TypeFor[report]()}}

// NewCmd returns the command why.
func NewCmd(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why MESSAGE | -",
		Short: "Explain a framework's error message about a layout",
		Long: `Explain an error message about a memory layout: what happened, whether the
existing memory already has the wanted order, what the difference costs, and
what to write instead. Paste the message, and its traceback if you like, as a
quoted argument or on standard input. The answer uses the sizes and strides in
it; for a view, paste x.shape, x.stride() and the line x.view(…) too.

tlayout why without an argument lists the known messages of PyTorch, NumPy, JAX,
XLA, Keras, TensorFlow, ONNX Runtime, TensorRT, OpenVINO, ExecuTorch, Triton,
CUTLASS, FlashAttention, candle, burn, safetensors, OpenCV and Pillow. Of an
unknown message, the sizes and strides are described; the exit code is then 1.`,
		Example: `  tlayout why 'expected size 64==64, stride 3136==1 at dim=1'
  tlayout why "shape '[5, 2]' is invalid for input of size 12" --json
  tlayout why`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cli.Args(0, 1, "message", "quote it for the shell, or use standard input: tlayout why - < error.txt"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.Write(newCatalogue())
			}
			return run(a, args[0])
		},
	}
	cli.HasSettings(cmd)
	return cmd
}

func run(a *cli.App, message string) error {
	if message == "-" {
		text, err := io.ReadAll(io.LimitReader(a.Streams.In, diagnose.MaxText+1))
		if err != nil {
			return fault.New(fault.Resource, "cannot read standard input: %s", fault.Cause(err))
		}
		message = string(text)
	}
	if len(message) > diagnose.MaxText {
		return fault.New(fault.Unsupported, "the message is longer than 1 MiB").WithHint("paste only the error and its traceback: tail -n 50 log | tlayout why -")
	}
	if strings.TrimSpace(message) == "" {
		return fault.New(fault.Usage, "the message is empty").WithHint("tlayout why lists the known messages")
	}
	r := newReport(message)
	err := a.Write(r)
	if err == nil && r.Failed() {
		return cli.Reported(fault.New(fault.Negative, "unknown message"))
	}
	return err
}
