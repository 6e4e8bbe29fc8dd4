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

// checkCheckpoint answers the assertions about a whole checkpoint. It reads no data.
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

func (a assertion) unknown(why string) assertion {
	a.OK = false
	a.Verdict = tensor.Unknown
	a.Found = string(tensor.Unknown)
	a.Why = why
	return a
}

// convertHint is the command that rewrites a PyTorch checkpoint; empty for others, and if the name cannot be typed.
func (w whole) convertHint(flags string) string {
	if w.Files != nil || !w.Format.Saved() || !text.Typable(w.Path) {
		return ""
	}
	return "tlayout convert " + text.File(w.Path) + " " + flags
}

// aligned answers --aligned for the first elements of all non-empty tensors.
func (w whole) aligned(size sizeFlag) assertion {
	a := assertion{Name: "aligned", Expected: size.text, OK: true}
	var odd []string
	n := 0
	for i := range w.report.Tensors {
		t := &w.report.Tensors[i]
		if t.NBytes == 0 {
			continue
		}
		if n++; t.InPickle {
			odd = append(odd, checkpoint.Names(t.Name)+" in the pickle")
		} else if t.DataOffset%size.N != 0 {
			odd = append(odd, fmt.Sprintf("%s at byte %d", checkpoint.Names(t.Name), t.DataOffset))
		}
	}
	a.Found = "all " + text.Count(n, "tensor")
	if len(odd) > 0 {
		a.OK = false
		a.Found = fmt.Sprintf("%d of %s not at a multiple", len(odd), text.Count(n, "tensor"))
		a.Why = text.First(3, odd, ", ")
		a.Hint = w.convertHint("--align " + text.Shell(size.text) + " -o aligned.pt")
	}
	return w.unlessMissing(w.unlessRefused(a))
}

// noUnused answers --no-unused.
func (w whole) noUnused() assertion {
	a := assertion{Name: "no-unused", Found: "every byte is in a tensor", OK: true}
	waste := w.report.Waste()
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
	switch {
	case len(waste) > 0:
		a.OK = false
		a.Found = fmt.Sprintf("%s%s of %s are in no tensor", atLeast, text.Bytes(w.report.Unused), text.Bytes(total))
		a.Why = text.First(3, waste, ", ")
		w.compaction(&a)
	case len(unknown) > 0:
		return a.unknown(text.First(3, unknown, ", "))
	}
	return w.unlessMissing(a)
}

// compaction adds a hint with the command that drops unused bytes, if it drops any, and reports those that it cannot drop.
func (w whole) compaction(a *assertion) {
	hint := w.convertHint("--compact -o compact.pt")
	if hint == "" {
		return
	}
	dropped, kept := checkpoint.Compact(w.Container).Saves(w.Container)
	if dropped > 0 {
		a.Hint = hint
	}
	if kept > 0 {
		a.Why += fmt.Sprintf("; --compact keeps %s between elements of overlapping views", text.Bytes(kept))
	}
}

// noSharing answers --no-sharing. Empty tensors share nothing.
func (w whole) noSharing() assertion {
	a := assertion{Name: "no-sharing", Found: "no storage is shared", OK: true}
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
		a.OK = false
		a.Found = text.Count(n, "storage") + text.Plural(n, " is", " are") + " shared"
		a.Why = text.First(3, shared, "; ")
	}
	return w.unlessMissing(a)
}

// weightsOnly answers --weights-only. A file without a pickle passes. torch.load rejects TorchScript archives with weights_only=True (PyTorch 2.6,
// torch/serialization.py, load).
func (w whole) weightsOnly() assertion {
	a := assertion{Name: "weights-only", Found: "accepted", OK: true}
	switch unsafe := w.report.Unsafe(); {
	case w.Format == checkpoint.TorchScript:
		a.OK = false
		a.Found = "a TorchScript archive"
		a.Why = "torch.load(weights_only=True) refuses these"
	case w.report.WeightsOnly == nil && len(w.Tensors) > 0:
		a.Found = "no pickle"
	case unsafe != "":
		a.OK = false
		a.Found = "refused"
		a.Why = unsafe
	}
	return w.unlessMissing(a)
}

// complete answers --complete. A file without an index may be one of several, so it cannot be known to be complete.
func (w whole) complete() assertion {
	a := assertion{Name: "complete", Found: fmt.Sprintf("%s in %s, as in the index", text.Count(len(w.Tensors), "tensor"), text.Count(len(w.Files), "file")), OK: true}
	if w.Files == nil {
		a.OK = false
		a.Found = "no index"
		a.Hint = "pass the index: model.safetensors.index.json"
		return a
	}
	if n := len(w.Findings); n > 0 {
		a.OK = false
		a.Found = text.Count(n, "disagreement")
		a.Why = text.First(3, w.Warnings(), "; ")
	}
	return a
}
