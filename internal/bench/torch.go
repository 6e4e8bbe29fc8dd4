package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// TorchOptions configure the operators of PyTorch. Without a device, it is cuda if there is one, or else cpu.
type TorchOptions struct {
	Device      string `json:"device"`       // PyTorch's device: cpu, cuda:0, mps
	OutChannels int    `json:"out_channels"` // channels of the results of conv2d and matmul
	Kernel      int    `json:"kernel_size"`  // height and width of the kernel of conv2d
}

// Torch is PyTorch as it measured.
type Torch struct {
	Version string `json:"torch_version"` // version of PyTorch
	Python  string `json:"python"`        // the interpreter
	TorchOptions
	Name    string `json:"device_name"`                                  // name of the device; empty for a CPU
	Threads int    `json:"threads" jsonschema:"of an operator on a CPU"` // threads
}

// on returns the device and its name.
func (t Torch) on() string { return strings.TrimSpace(t.Device + " " + t.Name) }

// TorchLayouts are the memory formats that PyTorch calls contiguous and channels_last.
var TorchLayouts = []string{"nchw", "nhwc"}

// Under returns the patterns, each that autocast casts followed by itself under autocast to a dtype.
func Under(autocast string, patterns []Pattern) (all []Pattern) {
	for _, p := range patterns {
		all = append(all, p)
		if p.casts() {
			all = append(all, p+"."+Pattern(autocast))
		}
	}
	return all
}

// Worker is PyTorch in a process of its own, which measures itself. It gets a question in each line, and answers it in one.
type Worker struct {
	Torch Torch

	interpreter string // name of Python
	to          io.Writer
	from        *bufio.Reader
	end         func() error // ends the process, and returns why it ended
	err         error        // the first error of a run
}

// End ends the process.
func (w *Worker) End() { w.end() } //nolint:errcheck // its answers are read

// torchSetup is the first question.
type torchSetup struct {
	TorchOptions
	Shape []int      `json:"shape"`
	DType string     `json:"dtype"`
	Rows  []torchRow `json:"rows"`
}

// torchRow is a row as the worker prepares it: an operator, or a conversion.
type torchRow struct {
	Key      string `json:"key"`
	Layout   string `json:"layout,omitempty"`
	Operator string `json:"operator,omitempty"`
	Autocast string `json:"autocast,omitempty"`
	Twin     string `json:"twin,omitempty"` // row of the other layout, whose result is the same
	From     string `json:"from,omitempty"`
	To       string `json:"to,omitempty"`
}

// torchCopy is the roof of all rows: a copy in the same format.
const torchCopy = "copy"

// setup asks the worker to prepare the rows of a subject.
func (w *Worker) setup(s Subject, o TorchOptions) error {
	first := torchSetup{TorchOptions: o, Shape: []int{s.Size("N"), s.Size("C"), s.Size("H"), s.Size("W")}, DType: s.DType.String(),
		Rows: []torchRow{{Key: torchCopy, From: TorchLayouts[0], To: TorchLayouts[0]}}}
	for _, r := range s.rows() {
		row := torchRow{Key: r.Key(), Layout: r.Layout, From: r.From, To: r.To}
		if r.Suite == Access {
			row.Operator, row.Autocast, _ = strings.Cut(string(r.Pattern), ".")
			row.Twin = accessKey(other(r.Layout), r.Pattern)
		}
		first.Rows = append(first.Rows, row)
	}
	w.Torch.TorchOptions = o
	if err := w.ask(first, &w.Torch); err != nil {
		return err
	}
	if w.Torch.Version == "" || w.Torch.Device == "" {
		return lacking("a version and a device")
	}
	return nil
}

// other returns the other one of TorchLayouts.
func other(layout string) string {
	if layout == TorchLayouts[0] {
		return TorchLayouts[1]
	}
	return TorchLayouts[0]
}

// ask writes a question and reads its answer. It fails with what the worker refuses, or with why it ended.
func (w *Worker) ask(question, answer any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	var got []byte
	_, err = w.to.Write(append(line, '\n'))
	if err == nil {
		got, err = w.from.ReadSlice('\n')
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return unusual(got)
	}
	if err != nil {
		return w.end()
	}
	var refused struct{ Class, Error string }
	if err := errors.Join(json.Unmarshal(got, &refused), json.Unmarshal(got, answer)); err != nil {
		return unusual(got)
	}
	if refused.Class != "" {
		return w.refusal(refused.Class, refused.Error)
	}
	return nil
}

// unusual is the error for a line that is no answer.
func unusual(answer []byte) error {
	return fault.New(fault.Resource, "PyTorch's process answers %s", text.Quoted(text.Cut(strings.TrimSpace(string(answer)), 200)))
}

// lacking is the error for an answer without what was asked.
func lacking(what string) error {
	return fault.New(fault.Resource, "PyTorch's process answers without %s", what)
}

// refusal returns the error of a class that the worker names.
func (w *Worker) refusal(class, why string) error {
	why = "PyTorch: " + text.Quote(why)
	switch class {
	case "missing":
		return fault.New(fault.Resource, "%s", why).WithHint("%s -m pip install torch", text.Shell(w.interpreter))
	case "usage":
		return fault.New(fault.Usage, "%s", why).WithHint("name a device as torch.device does: cpu, cuda or cuda:1")
	case "unsupported":
		return fault.New(fault.Unsupported, "%s", why).WithHint("choose what to measure, and where: --patterns, --dtype, --device")
	}
	return fault.New(fault.Resource, "%s", why)
}

// run returns the time of some passes of a row, and records an error.
func (w *Worker) run(key string, passes int) time.Duration {
	var answer struct{ NS int64 }
	if w.err == nil {
		w.err = w.ask(map[string]any{"run": key, "passes": passes}, &answer)
		if w.err == nil && answer.NS <= 0 {
			w.err = lacking("a time")
		}
	}
	return time.Duration(answer.NS)
}

// check fails if a run failed or the row's result is wrong, and returns the bytes that a pass reads and writes.
func (w *Worker) check(key string) (bytes int, err error) {
	if w.err != nil {
		return 0, w.err
	}
	var answer struct{ Bytes int }
	if err := w.ask(map[string]string{"check": key}, &answer); err != nil {
		return 0, err
	}
	if answer.Bytes <= 0 {
		return 0, lacking("a number of bytes")
	}
	return answer.Bytes, nil
}

// program returns the program of a row that the worker prepared.
func (w *Worker) program(r Row) *program {
	p := &program{row: r, timed: func(passes int) time.Duration { return w.run(r.Key(), passes) }}
	p.check = func() (err error) {
		p.row.Bytes, err = w.check(r.Key())
		if f := (*fault.Error)(nil); errors.As(err, &f) && f.Class == fault.Unsupported && strings.Contains(string(r.Pattern), ".") {
			return f.WithHint("pass another --autocast, or off")
		}
		return err
	}
	return p
}

// RunTorch measures a subject that the worker has prepared. It fails with what the worker refuses.
func RunTorch(s Subject, w *Worker, o Options) (*Report, error) {
	r := s.newReport(o)
	r.Machine.Torch = &w.Torch
	r.Machine.Roofs = []Roof{{Level: conversionRoof, Bytes: 2 * s.bytes()}}
	programs := []*program{{roof: &r.Machine.Roofs[0], kind: copying, way: "torch",
		timed: func(passes int) time.Duration { return w.run(torchCopy, passes) }}}
	for _, row := range s.rows() {
		programs = append(programs, w.program(row))
	}
	return r, r.measure(programs, nil, o)
}
