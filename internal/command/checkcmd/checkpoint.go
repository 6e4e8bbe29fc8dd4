package checkcmd

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// whole is a checkpoint and its report.
type whole struct {
	*source.Set
	report *inspect.Checkpoint
}

// checkCheckpoint answers the assertions about a whole checkpoint. It reads no data, but for --complete replicas in rank files.
func checkCheckpoint(o *options, s named) (*report, error) {
	k := s.set
	c := &report{Head: document.NewHead(schema, s.name), Verdict: tensor.Yes}
	if !o.want.complete { // which reports the same
		c.Warnings = append(c.Warnings, k.Warnings()...)
	}
	w := whole{k, inspect.NewCheckpoint(k)}
	if !o.reading.FromJSON {
		for _, size := range o.want.aligned.all {
			c.Assertions = append(c.Assertions, w.aligned(size))
		}
	}
	for _, x := range []struct {
		given  bool
		answer func() assertion
	}{
		{o.want.noUnused, w.noUnused},
		{o.want.noSharing, w.noSharing},
		{o.want.weightsOnly, w.weightsOnly},
		{o.want.complete, w.complete},
	} {
		if x.given {
			c.Assertions = append(c.Assertions, x.answer())
		}
	}
	c.settle()
	return c, k.Unchanged()
}

// unlessMissing turns a yes into unknown if a file of the index is missing.
func (w whole) unlessMissing(a assertion) assertion {
	var missing []string
	for _, f := range w.Findings {
		if f.Kind == safetensors.MissingShard {
			missing = append(missing, f.File)
		}
	}
	if !a.OK || len(missing) == 0 {
		return a
	}
	return a.unknown(checkpoint.Names(missing...) + text.Plural(len(missing), " is", " are") + " missing")
}

// unlessRefused turns a yes into unknown if tensors could not be read.
func (w whole) unlessRefused(a assertion) assertion {
	if !a.OK || len(w.Refused) == 0 {
		return a
	}
	var why []string
	for _, r := range w.Refused {
		why = append(why, "offset of "+checkpoint.Names(r.Name)+" is unknown: "+r.Why)
	}
	return a.unknown(text.First(1, why, ""))
}

// convertHint is the command that rewrites a PyTorch checkpoint; empty for others, and if the name cannot be typed.
func (w whole) convertHint(flags string) string {
	if w.Files != nil || !w.Format.Saved() || !w.Path.IsTypable() {
		return ""
	}
	return "tlayout convert " + w.Path.Arg() + " " + flags
}

// aligned answers --aligned for the first elements of all non-empty tensors.
func (w whole) aligned(size sizeFlag) assertion {
	a := assertion{Name: "aligned", Expected: size.text}
	var misaligned []string
	n := 0
	if w.Format.Sliced() {
		return a.failed("in slices", "")
	}
	for i := range w.report.Tensors {
		t := &w.report.Tensors[i]
		if t.NBytes == 0 {
			continue
		}
		n++
		if at := misalignment(t, size.N, w.Format); at != "" {
			misaligned = append(misaligned, checkpoint.Names(t.Name)+at)
		}
	}
	if len(misaligned) > 0 {
		found := fmt.Sprintf("%d of %s not at a multiple", len(misaligned), text.Count(n, "tensor"))
		return a.failed(found, text.First(3, misaligned, ", ")).withHint(w.convertHint("--align " + text.Shell(size.text) + " -o aligned.pt"))
	}
	return w.unlessMissing(w.unlessRefused(a.passed("all " + text.Count(n, "tensor"))))
}

// misalignment returns where a tensor's first element is; empty if that is a multiple of size in the file.
func misalignment(t *inspect.CheckpointTensor, size int64, format checkpoint.Format) string {
	if t.InPickle {
		return " in " + format.InlineIn()
	}
	if t.DataOffset%size != 0 {
		return fmt.Sprintf(" at byte %d", t.DataOffset)
	}
	return ""
}

// noUnused answers --no-unused.
func (w whole) noUnused() assertion {
	a := assertion{Name: "no-unused"}
	var unknown []string
	total := int64(0)
	atLeast := ""
	for i := range w.report.Storages {
		s := &w.report.Storages[i]
		total += s.NBytes
		if s.Unknown != "" {
			unknown = append(unknown, "storage "+text.Quote(s.ID)+": "+s.Unknown)
			atLeast = "at least "
		}
	}
	if waste := w.report.Waste(); len(waste) > 0 {
		a = a.failed(fmt.Sprintf("%s%s of %s are in no tensor", atLeast, text.Bytes(w.report.Unused), text.Bytes(total)), text.First(3, waste, ", "))
		return w.compaction(a)
	}
	if len(unknown) > 0 {
		return a.unknown(text.First(3, unknown, ", "))
	}
	return w.unlessMissing(a.passed("every byte is in a tensor"))
}

// compaction adds a hint with the command that drops unused bytes, if it drops any, and reports those that it cannot drop.
func (w whole) compaction(a assertion) assertion {
	hint := w.convertHint("--compact -o compact.pt")
	if hint == "" {
		return a
	}
	dropped, kept := checkpoint.Compact(w.Container).Saves(w.Container)
	if kept > 0 {
		a.Why += fmt.Sprintf("; --compact keeps %s between elements of overlapping views", text.Bytes(kept))
	}
	if dropped > 0 {
		return a.withHint(hint)
	}
	return a
}

// noSharing answers --no-sharing. Empty tensors share nothing.
func (w whole) noSharing() assertion {
	a := assertion{Name: "no-sharing"}
	holders := make([][]string, len(w.Storages))
	for _, t := range w.report.Tensors {
		if t.NBytes > 0 {
			holders[t.Storage] = append(holders[t.Storage], t.Name)
		}
	}
	for _, r := range w.Refused {
		used := slices.Clone(r.Storages)
		slices.Sort(used)
		for _, s := range slices.Compact(used) {
			holders[s] = append(holders[s], r.Name)
		}
	}
	var shared []string
	for s, names := range holders {
		if len(names) > 1 {
			shared = append(shared, inspect.SharedBy(names, w.Storages[s].ID))
		}
	}
	if n := len(shared); n > 0 {
		return a.failed(text.Count(n, "storage")+text.Plural(n, " is", " are")+" shared", text.First(3, shared, "; "))
	}
	return w.unlessMissing(a.passed("no storage is shared"))
}

// weightsOnly answers --weights-only. A file without a pickle passes. torch.load rejects TorchScript archives with weights_only=True (PyTorch 2.6,
// torch/serialization.py, load).
func (w whole) weightsOnly() assertion {
	a := assertion{Name: "weights-only"}
	if w.Format == checkpoint.TorchScript {
		return a.failed("a TorchScript archive", "torch.load(weights_only=True) refuses these")
	}
	if w.report.WeightsOnly == nil && len(w.Tensors) > 0 {
		return w.unlessMissing(a.passed("no pickle"))
	}
	if unsafe := w.report.Unsafe(); unsafe != "" {
		return a.failed("refused", unsafe)
	}
	return w.unlessMissing(a.passed("accepted"))
}

// complete answers --complete. A file without an index may be one of several, so it cannot be known to be complete.
func (w whole) complete() assertion {
	a := assertion{Name: "complete"}
	if w.Files == nil {
		return a.failed("no index", "").withHint("pass the index, model.safetensors.index.json, or the folder of a checkpoint in slices")
	}
	if err := w.CompareReplicas(); err != nil {
		return a.unknown(err.Error())
	}
	if n := len(w.Findings); n > 0 {
		return a.failed(text.Count(n, "disagreement"), text.First(3, w.Warnings(), "; "))
	}
	tensors := text.Count(len(w.Tensors), "tensor")
	files := text.Count(len(w.Files), "file")
	switch w.Format {
	case checkpoint.ONNX:
		return a.passed(tensors + " with data in " + files)
	case checkpoint.DCP, checkpoint.Ranks:
		if n := len(w.Refused); n > 0 {
			return a.unknown(checkpoint.Names(w.Refused[0].Name) + " is not read: " + w.Refused[0].Why)
		}
		return a.passed(tensors + " in slices without gaps or overlaps, in " + files)
	}
	return a.passed(tensors + " in " + files + ", as in the index")
}
