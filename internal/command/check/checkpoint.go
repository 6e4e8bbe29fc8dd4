package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/document"
	"github.com/tlayout/tlayout/internal/tensor/safetensors"
	"github.com/tlayout/tlayout/internal/tensor/source"
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
	return a.unknown(text.Quoted(missing[0]) + " is missing" + andMore(len(missing)-1, "file"))
}

// unlessRefused turns a yes into unknown if tensors could not be read.
func (w whole) unlessRefused(a assertion) assertion {
	if !a.OK || len(w.Refused) == 0 {
		return a
	}
	return a.unknown("offset of " + nameOf(w.Refused[0].Name) + " is unknown: " + w.Refused[0].Why + andMore(len(w.Refused)-1, "tensor"))
}

func (a assertion) unknown(why string) assertion {
	a.OK, a.Verdict, a.Found, a.Why = false, tensor.Unknown, string(tensor.Unknown), why
	return a
}

// convertHint is the command that rewrites a PyTorch checkpoint; empty for others, and if the name is not printable.
func (w whole) convertHint(flags string) string {
	if w.Files != nil || !w.Format.Saved() || text.Quote(w.Path) != w.Path {
		return ""
	}
	return "tlayout convert " + text.Shell(w.Path) + " " + flags
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
			odd = append(odd, nameOf(t.Name)+" in the pickle")
		} else if t.DataOffset%size.N != 0 {
			odd = append(odd, fmt.Sprintf("%s at byte %d", nameOf(t.Name), t.DataOffset))
		}
	}
	if a.Found = "all " + text.Count(n, "tensor"); len(odd) > 0 {
		a.OK, a.Found, a.Why = false, fmt.Sprintf("%d of %s not at a multiple", len(odd), text.Count(n, "tensor")), first(odd, ", ")
		a.Hint = w.convertHint("--align " + text.Shell(size.text) + " -o aligned.pt")
	}
	return w.unlessMissing(w.unlessRefused(a))
}

// noUnused answers --no-unused.
func (w whole) noUnused() assertion {
	a := assertion{Name: "no-unused", Found: "every byte is in a tensor", OK: true}
	var wasteful []*inspect.CheckpointStorage
	var unknown []string
	total, atLeast := int64(0), ""
	for i := range w.report.Storages {
		s := &w.report.Storages[i]
		total += s.NBytes
		if s.Unknown != "" {
			unknown, atLeast = append(unknown, "storage "+text.Quote(s.ID)+": "+s.Unknown), "at least "
		}
		if s.Used < s.NBytes {
			wasteful = append(wasteful, s)
		}
	}
	switch {
	case len(wasteful) > 0:
		a.OK, a.Found = false, fmt.Sprintf("%s%s of %s are in no tensor", atLeast, text.Bytes(w.report.Unused), text.Bytes(total))
		a.Why = where(wasteful)
		w.compaction(&a)
	case len(unknown) > 0:
		return a.unknown(first(unknown, ", "))
	}
	return w.unlessMissing(a)
}

// where names storages with unused bytes, those with the most first.
func where(wasteful []*inspect.CheckpointStorage) string {
	slices.SortStableFunc(wasteful, func(a, b *inspect.CheckpointStorage) int { return cmp.Compare(b.NBytes-b.Used, a.NBytes-a.Used) })
	var texts []string
	for _, s := range wasteful {
		texts = append(texts, fmt.Sprintf("storage %s has %s for %s", text.Quote(s.ID), text.Bytes(s.NBytes), users(s.Tensors)))
	}
	return first(texts, ", ")
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

// users names the tensors of a storage.
func users(names []string) string {
	if len(names) == 0 {
		return "no tensor"
	}
	return nameOf(names[0]) + andMore(len(names)-1, "tensor")
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
			shared = append(shared, fmt.Sprintf("%s and %s%s are views of storage %s", nameOf(names[0]), nameOf(names[1]),
				andMore(len(names)-2, "tensor"), text.Quote(w.Storages[s].ID)))
		}
	}
	if n := len(shared); n > 0 {
		a.OK, a.Found, a.Why = false, text.Count(n, "storage")+text.Plural(n, " is", " are")+" shared", first(shared, "; ")
	}
	return w.unlessMissing(a)
}

// weightsOnly answers --weights-only. A file without a pickle passes. torch.load rejects TorchScript archives with weights_only=True (PyTorch 2.6,
// torch/serialization.py, load).
func (w whole) weightsOnly() assertion {
	a := assertion{Name: "weights-only", Found: "accepted", OK: true}
	var refused []string
	for _, g := range w.report.Globals {
		if !g.WeightsOnly {
			refused = append(refused, text.Quote(text.Cut(g.Name, 60)))
		}
	}
	switch {
	case w.Format == checkpoint.TorchScript:
		a.OK, a.Found, a.Why = false, "a TorchScript archive", "torch.load(weights_only=True) refuses these"
	case w.report.WeightsOnly == nil && len(w.Tensors) > 0:
		a.Found = "no pickle"
	case len(refused) > 0:
		a.OK, a.Found, a.Why = false, text.Count(len(refused), "GLOBAL")+" refused", first(refused, ", ")
	case len(w.Opcodes) > 0:
		a.OK, a.Found, a.Why = false, text.Count(len(w.Opcodes), "opcode")+" refused", first(w.Opcodes, ", ")
	}
	return w.unlessMissing(a)
}

// complete answers --complete. A file without an index may be one of several, so it cannot be known to be complete.
func (w whole) complete() assertion {
	a := assertion{Name: "complete", Found: fmt.Sprintf("%s in %s, as in the index", text.Count(len(w.Tensors), "tensor"), text.Count(len(w.Files), "file")), OK: true}
	if w.Files == nil {
		a.OK, a.Found, a.Hint = false, "no index", "pass the index: model.safetensors.index.json"
		return a
	}
	if n := len(w.Findings); n > 0 {
		a.OK, a.Found, a.Why = false, text.Count(n, "disagreement"), first(w.Warnings(), "; ")
	}
	return a
}

// first joins the first three texts of a list, and counts the rest.
func first(all []string, between string) string {
	const shown = 3
	text := strings.Join(all[:min(shown, len(all))], between)
	if more := len(all) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func andMore(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more %s", n, text.Plural(n, what, what+"s"))
}

// nameOf quotes a tensor's name for a sentence.
func nameOf(name string) string {
	if name == "" {
		return "the tensor"
	}
	return text.Quote(text.Cut(name, 60))
}
