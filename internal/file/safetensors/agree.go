package safetensors

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/text"
)

// Kind is how an index and its files disagree.
type Kind string

// The kinds.
const (
	MissingShard  Kind = "missing_shard"  // File is missing
	MissingTensor Kind = "missing_tensor" // Tensor is neither in File nor in another file
	WrongShard    Kind = "wrong_shard"    // Tensor is in Other instead of File
	Doubled       Kind = "doubled"        // Tensor is in File and in Other
	Unlisted      Kind = "unlisted"       // Tensor is in File but not in the index
	MissingData   Kind = "missing_data"   // File is missing, with the elements of Claimed tensors of a model that names it
	BadSlices     Kind = "bad_slices"     // the slices of Tensor do not hold each of its elements once: Other is the reason
	Replicas      Kind = "replicas"       // File and Other have different elements of Tensor, where they should have the same
	WrongSize     Kind = "wrong_size"     // the index claims Claimed bytes, the tensors have Found
)

// Finding is a disagreement.
type Finding struct {
	Kind           Kind
	Tensor         string
	File           string
	Other          string
	Claimed, Found int64
}

// String returns the finding as the beginning of a sentence, without a full stop.
func (f Finding) String() string {
	tensor := checkpoint.Quoted(f.Tensor)
	file := checkpoint.Quoted(f.File)
	other := checkpoint.Quoted(f.Other)
	switch f.Kind {
	case MissingShard:
		return fmt.Sprintf("%s is missing, with %s in the index", file, text.Count(int(f.Claimed), "tensor"))
	case MissingData:
		if f.Claimed == 0 {
			return file + " is missing"
		}
		return fmt.Sprintf("%s is missing, with the elements of %s", file, text.Count(int(f.Claimed), "tensor"))
	case MissingTensor:
		return fmt.Sprintf("tensor %s is in no file, but %s in the index", tensor, file)
	case WrongShard:
		return fmt.Sprintf("tensor %s is in %s, but %s in the index", tensor, other, file)
	case Doubled:
		return fmt.Sprintf("tensor %s is in both %s and %s", tensor, file, other)
	case BadSlices:
		return fmt.Sprintf("tensor %s: %s", tensor, f.Other)
	case Replicas:
		return fmt.Sprintf("tensor %s differs between %s and %s", tensor, file, other)
	case Unlisted:
		return fmt.Sprintf("tensor %s of %s is not in the index", tensor, file)
	}
	return fmt.Sprintf("the index has total_size %d, the tensors have %d bytes", f.Claimed, f.Found)
}

// Check compares the index with its opened files, of any format, by their names; a nil or absent file is missing. Findings are in the
// order of the index's files, then of its tensors, then of extra tensors in the files. A refused tensor counts as present. A missing
// file's tensors are one finding. The total is not compared if a file is missing or a tensor refused, because a refused tensor's size
// is unknown.
func (x *Index) Check(shards map[string]*checkpoint.Container) []Finding {
	c := comparison{index: x, shards: shards, holders: map[string][]string{}, listed: map[string]struct{}{}, complete: true}
	c.open()
	c.places()
	c.beyond()
	if c.complete && x.TotalSize >= 0 {
		c.total()
	}
	return c.findings
}

type comparison struct {
	index    *Index
	shards   map[string]*checkpoint.Container
	holders  map[string][]string // the files with each tensor
	listed   map[string]struct{} // the index's tensors
	complete bool                // all tensors are present with known sizes
	findings []Finding
}

func (c *comparison) add(f Finding) { c.findings = append(c.findings, f) }

// open finds missing files, and the tensors of the others.
func (c *comparison) open() {
	placed := map[string]int64{}
	for _, t := range c.index.Tensors {
		placed[t.File]++
		c.listed[t.Name] = struct{}{}
	}
	for _, file := range c.index.Files {
		if c.shards[file] == nil {
			c.add(Finding{Kind: MissingShard, File: file, Claimed: placed[file]})
			c.complete = false
			continue
		}
		c.complete = c.complete && len(c.shards[file].Refused) == 0
		for _, name := range names(c.shards[file]) {
			c.holders[name] = append(c.holders[name], file)
		}
	}
}

// names returns the names of all tensors of a container.
func names(c *checkpoint.Container) []string {
	all := make([]string, 0, len(c.Tensors)+len(c.Refused))
	for _, t := range c.Tensors {
		all = append(all, t.Name)
	}
	for _, r := range c.Refused {
		all = append(all, r.Name)
	}
	return all
}

// placed compares the shard that the index names for a tensor with those that hold it.
func (c *comparison) placed(tensor, file string) {
	holders := c.holders[tensor]
	if len(holders) == 0 {
		c.add(Finding{Kind: MissingTensor, Tensor: tensor, File: file})
	} else if !slices.Contains(holders, file) {
		c.add(Finding{Kind: WrongShard, Tensor: tensor, File: file, Other: holders[0]})
	}
}

// places compares where the index's tensors should be with where they are.
func (c *comparison) places() {
	for _, t := range c.index.Tensors {
		if c.shards[t.File] != nil {
			c.placed(t.Name, t.File)
		}
		c.doubled(t.Name)
	}
}

// doubled finds tensors in several files; each further file is a finding.
func (c *comparison) doubled(name string) {
	holders := c.holders[name]
	for i := 1; i < len(holders); i++ {
		c.add(Finding{Kind: Doubled, Tensor: name, File: holders[0], Other: holders[i]})
	}
}

// beyond finds tensors that are not in the index.
func (c *comparison) beyond() {
	for _, file := range c.index.Files {
		if c.shards[file] == nil {
			continue
		}
		for _, name := range names(c.shards[file]) {
			if _, listed := c.listed[name]; listed {
				continue
			}
			c.add(Finding{Kind: Unlisted, Tensor: name, File: file})
			if c.holders[name][0] == file {
				c.doubled(name)
			}
		}
	}
}

// total compares the size of all tensors. huggingface_hub counts tensors that share a storage once, by the first
// (src/huggingface_hub/serialization/_base.py at 122aa5cc); other writers count each.
func (c *comparison) total() {
	var each, first int64
	for _, file := range c.index.Files {
		counted := map[int]struct{}{}
		for _, t := range c.shards[file].Tensors {
			n := t.Type.Size(int64(t.View.Numel()))
			each += n
			if _, again := counted[t.Storage]; !again {
				counted[t.Storage] = struct{}{}
				first += n
			}
		}
	}
	if claimed := c.index.TotalSize; claimed != each && claimed != first {
		c.add(Finding{Kind: WrongSize, Claimed: claimed, Found: first})
	}
}
