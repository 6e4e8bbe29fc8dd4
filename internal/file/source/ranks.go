//go:build !js

package source

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Rank files are a checkpoint with a file of torch.save for each rank, model_world_size_8_rank_0.pt and so on, in which sharded tensors are
// DTensors. (verl, verl/utils/checkpoint/fsdp_checkpoint_manager.py) Their folder stands for them, or a name with * in place of the rank.

// rankFiles are the files of one kind.
type rankFiles struct {
	folder name.Name
	stem   string   // of their names, before the rank: model_world_size_8_rank_
	world  int      // ranks
	others []string // stems of other models in the folder
}

func (r rankFiles) ofModel() bool { return strings.HasPrefix(r.stem, "model_") }

const (
	rankEnding = ".pt"
	maxWorld   = 1 << 16
)

func (r rankFiles) file(rank int) string { return r.stem + strconv.Itoa(rank) + rankEnding }

// cutRank splits the name of a rank file: model_world_size_8_rank_0.pt.
func cutRank(file string) (stem, rank string, world int, ok bool) {
	file, isTorch := strings.CutSuffix(file, rankEnding)
	end := strings.LastIndexByte(file, '_') + 1
	stem = file[:end]
	ofWorld, isRank := strings.CutSuffix(stem, "_rank_")
	_, size, isSized := strings.Cut(ofWorld, "_world_size_")
	world, err := strconv.Atoi(size)
	ok = isTorch && isRank && isSized
	return stem, file[end:], world, ok && err == nil && world > 0 && world <= maxWorld
}

// ranksOf returns the rank files that a folder or a pattern names; ok is false if it names none. Of several kinds in a folder, those of the model
// count, and of several models the one whose name is first.
func ranksOf(n name.Name) (found rankFiles, ok bool) {
	folder := n
	stem, rank, _, isPattern := cutRank(n.Base())
	isPattern = isPattern && rank == "*"
	if isPattern {
		folder = n.Parent()
	}
	if !folder.IsFolder() {
		return found, false
	}
	list, err := folder.Open()
	if err != nil {
		return found, false
	}
	defer list.Close()
	for {
		files, err := list.Readdirnames(1 << 12)
		for _, file := range files {
			ofFile, rank, world, isRank := cutRank(file)
			_, err := strconv.Atoi(rank)
			if !isRank || err != nil {
				continue
			}
			if isPattern && ofFile != stem {
				continue
			}
			kind := rankFiles{folder, ofFile, world, nil}
			isBetter := kind.ofModel() && !found.ofModel()
			if !ok || isBetter {
				found = kind
				ok = true
				continue
			}
			isOther := kind.ofModel() && kind.stem != found.stem
			if isOther && !slices.Contains(found.others, kind.stem) {
				found.others = append(found.others, kind.stem)
			}
		}
		if err != nil {
			return found, ok
		}
	}
}

// openRanks opens rank files as a checkpoint of the global tensors.
func openRanks(path name.Name, r rankFiles, o Options) (*Set, error) {
	s := newSet(path, checkpoint.Ranks, nil, o)
	s.Container = &checkpoint.Container{Format: checkpoint.Ranks}
	s.described = r.folder.Join(r.file(0))
	return s.completed(fault.In(path.String(), s.joinRanks(r, o)))
}

// joinRanks joins the tensors of all ranks.
func (s *Set) joinRanks(r rankFiles, o Options) error {
	if len(r.others) > 0 {
		pattern := r.folder.Join(r.stem + "*" + rankEnding)
		return fault.New(fault.Usage, "it has files of several models, %s0.pt and %s0.pt", r.stem, r.others[0]).WithHint("name one: %s", pattern.Arg())
	}
	j := joined{set: s, byName: map[string]int{}, seen: map[string]checkpoint.Slice{}}
	for rank := range r.world {
		file := r.file(rank)
		s.Files = append(s.Files, file)
		if err := s.openShard(file, o); err != nil {
			s.Findings = append(s.Findings, safetensors.Finding{Kind: safetensors.MissingData, File: file})
			continue
		}
		b := s.shards[file]
		var c *checkpoint.Container
		err := b.Guard(func() (err error) { c, err = torch.Open(b, b.Size(), s.limit); return err })
		if err == nil {
			err = j.add(file, c)
		}
		if err != nil {
			return fault.In(text.Quoted(file), err)
		}
	}
	for i := range s.Storages {
		checkpoint.SortSlices(s.Slices[i])
	}
	return s.openSlices(o)
}

// joined are the tensors of the ranks read so far.
type joined struct {
	set    *Set
	byName map[string]int              // index into Tensors
	seen   map[string]checkpoint.Slice // by the tensor and the place in it: further ones are replicas
}

// add adds the tensors of a rank.
func (j *joined) add(file string, c *checkpoint.Container) error {
	s := j.set
	for _, t := range c.Tensors {
		place := c.Locals[t.Name]
		if place == nil {
			place = &checkpoint.Local{Shape: t.View.Shape, Offsets: make([]int, len(t.View.Shape))}
		}
		i, known := j.byName[t.Name]
		if i < 0 {
			continue // refused in another rank
		}
		if !known {
			view, err := tensor.Packed(place.Shape)
			if err != nil {
				return err
			}
			if err := s.limit.Check(uint64(len(s.Tensors))+1, "tensors"); err != nil {
				return err
			}
			i = len(s.Tensors)
			j.byName[t.Name] = i
			s.Tensors = append(s.Tensors, checkpoint.Tensor{Name: t.Name, Type: t.Type, View: view, Storage: i})
			s.Slices = append(s.Slices, nil)
			s.Storages = append(s.Storages, checkpoint.Storage{ID: t.Name, Bytes: t.Type.Size(int64(view.Numel()))})
		}
		all := s.Tensors[i]
		if !all.Type.Equal(t.Type) || !slices.Equal(all.View.Shape, place.Shape) {
			return fault.New(fault.Malformed, "tensor %s is %s %s, but %s %s in another rank", checkpoint.Quoted(t.Name), t.Type, tensor.Tuple(place.Shape),
				all.Type, tensor.Tuple(all.View.Shape))
		}
		x := c.Storages[t.Storage]
		from, to := t.Extent()
		part := checkpoint.Slice{Offsets: place.Offsets, Sizes: t.View.Shape, File: file, At: x.At + from, Bytes: to - from, Strides: t.View.Strides}
		if x.Inline {
			continue
		}
		key := fmt.Sprintf("%d%v%v", i, part.Offsets, part.Sizes)
		first, again := j.seen[key]
		if again {
			s.replicas = append(s.replicas, replica{all, first, part})
			continue
		}
		j.seen[key] = part
		s.Slices[i] = append(s.Slices[i], part)
	}
	for _, x := range c.NotShown() {
		if _, known := j.byName[x.Name]; !known {
			j.byName[x.Name] = -1
			s.Refused = append(s.Refused, checkpoint.Refused{Name: x.Name, Why: x.Why})
		}
	}
	return nil
}

// CompareReplicas adds a finding for each tensor that ranks have whole, or a slice of it, with different elements. It reads all of them.
func (s *Set) CompareReplicas() error {
	differs := map[string]bool{}
	for _, r := range s.replicas {
		name := r.tensor.Name
		if differs[name] || s.shards[r.first.File] == nil {
			continue
		}
		equal, err := s.equalSlices(r)
		if err != nil {
			return err
		}
		if !equal {
			differs[name] = true
			s.Findings = append(s.Findings, safetensors.Finding{Kind: safetensors.Replicas, Tensor: name, File: r.first.File, Other: r.copy.File})
		}
	}
	return nil
}

// equalSlices compares the tensor with one slice and with the other, block by block.
func (s *Set) equalSlices(r replica) (bool, error) {
	first := s.assembled(r.tensor, []checkpoint.Slice{r.first})
	other := s.assembled(r.tensor, []checkpoint.Slice{r.copy})
	const block = 1 << 20
	var a, b [block]byte
	for at := int64(0); at < first.Size(); at += block {
		n := min(block, first.Size()-at)
		if err := input.ReadFull(first, a[:n], at); err != nil {
			return false, err
		}
		if err := input.ReadFull(other, b[:n], at); err != nil {
			return false, err
		}
		if !bytes.Equal(a[:n], b[:n]) {
			return false, nil
		}
	}
	return true, nil
}
