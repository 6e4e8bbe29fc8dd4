package diffcmd

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
)

// input is one of the two sources. The set opened last stays open for its tensors.
type input struct {
	source  name.Name
	options func(n name.Name) source.Options // how to read the source of that name
	names   []string                         // the tensors to compare
	sources map[string]name.Name             // the source of each name

	set     *source.Set
	name    name.Name // of set, as it was opened
	pattern string
}

// at makes a source the open set, with the pattern that follows its name.
func (in *input) at(n name.Name) error {
	if in.set != nil && in.name == n {
		return nil
	}
	set, pattern, err := source.Open(n, in.options(n))
	if err != nil {
		return err
	}
	in.close()
	in.set = set
	in.name = n
	in.pattern = pattern
	return nil
}

// expand returns the tensors that a name stands for, including unreadable ones, whose error Open reports.
func (in *input) expand(n name.Name) ([]name.Name, error) {
	if err := in.at(n); err != nil {
		return nil, err
	}
	picked, err := in.set.Pick(in.pattern)
	names := make([]name.Name, len(picked))
	for k, i := range picked {
		names[k] = in.set.Name(i)
	}
	return names, err
}

// open opens the tensor of a name.
func (in *input) open(n name.Name) (*source.Tensor, error) {
	if in.set != nil && in.set.IsContainer() {
		if member, ok := n.MemberOf(in.set.Path); ok {
			return in.set.Named(member, in.options(n))
		}
	}
	if err := in.at(n); err != nil {
		return nil, err
	}
	return in.set.Only(in.pattern, in.options(n))
}

// close closes the set. Its tensors stay open.
func (in *input) close() {
	if in.set != nil {
		in.set.Close()
		in.set = nil
	}
}

// add adds a tensor to compare. Opening an unreadable one reports why.
func (in *input) add(tensor string, source name.Name) {
	in.names = append(in.names, tensor)
	in.sources[tensor] = source
}

// addFile adds the tensors of a file, or an unreadable file itself.
func (in *input) addFile(label string, file name.Name) {
	all, err := in.expand(file)
	if err != nil {
		all = []name.Name{file}
	}
	for _, tensor := range all {
		if member, ok := tensor.MemberOf(file); ok {
			in.add(label+":"+member, tensor)
			continue
		}
		in.add(label, tensor)
	}
}

// match lists the tensors of both sources to compare by name; it returns false if both sources are one tensor each.
func (d *differ) match() (bool, error) {
	if found, err := d.matchFolders(); found || err != nil {
		return true, err
	}
	for _, in := range d.inputs {
		if err := in.at(in.source); err != nil || !in.set.IsContainer() {
			return false, err
		}
	}
	several := false
	for i, in := range d.inputs {
		all, err := in.expand(in.source)
		if err != nil {
			return false, err
		}
		several = several || len(all) > 1 || all[0] != in.source
		if err := d.list(in, cmp.Or(in.pattern, d.inputs[1-i].pattern)); err != nil {
			return false, err
		}
	}
	return several, nil
}

// list adds the tensors of an open container that match a pattern, including unreadable ones.
func (d *differ) list(in *input, pattern string) error {
	if in.set.Format != checkpoint.NPZ {
		d.noun = "tensor"
	}
	picked, err := in.set.Select(pattern)
	if err != nil {
		return err
	}
	for _, k := range picked {
		in.add(in.set.TensorName(k), in.set.Path.Member(in.set.TensorName(k)))
	}
	for _, text := range in.set.Warnings() {
		d.warnings = append(d.warnings, in.set.Path.Shown()+": "+text)
	}
	return nil
}

// matchFolders lists the tensors of two folders, to compare by relative path, or of a container and the folder of its tensors; it
// returns false if no source is a folder.
func (d *differ) matchFolders() (found bool, err error) {
	var folders [2]*batch.List
	for i, in := range d.inputs {
		if batch.IsFolder(in.source) {
			folders[i], err = batch.Expand([]name.Name{in.source}, batch.Options{Any: d.options.Raw})
			if err != nil {
				return false, err
			}
		}
	}
	if folders[0] == nil && folders[1] == nil {
		return false, nil
	}
	d.noun = "tensor"
	if folders[0] != nil && folders[1] != nil {
		return true, d.besideEachOther(folders)
	}
	if folders[0] != nil {
		return true, d.besideContainer(d.inputs[0], d.inputs[1], folders[0])
	}
	return true, d.besideContainer(d.inputs[1], d.inputs[0], folders[1])
}

// besideEachOther adds the tensors of two folders. It ignores layouts in file names if names stay unique without them: x.npy of one
// folder is x.nhwc.npy of the other.
func (d *differ) besideEachOther(folders [2]*batch.List) error {
	times := [2]map[string]int{{}, {}}
	for i, l := range folders {
		for u := range l.All() {
			times[i][bare(u.Rel)]++
		}
	}
	for i, in := range d.inputs {
		for u := range folders[i].All() {
			name := bare(u.Rel)
			if times[0][name] > 1 || times[1][name] > 1 {
				name = u.Rel
			}
			in.addFile(name, u.Name)
		}
		if len(in.names) == 0 {
			return fault.New(fault.Resource, "no sources in %s", in.source)
		}
	}
	return nil
}

// besideContainer adds the tensors of a container and of a folder with a .npy file for each, as convert -d writes it.
func (d *differ) besideContainer(folder, container *input, files *batch.List) error {
	if err := container.at(container.source); err != nil {
		return err
	}
	if !container.set.IsContainer() {
		return fault.New(fault.Usage, "cannot compare a directory with a file").
			WithHint("compare two directories, or a checkpoint or archive with the directory of its tensors")
	}
	if err := d.list(container, container.pattern); err != nil {
		return err
	}
	for u := range files.All() {
		folder.addFile(strings.TrimSuffix(u.Rel, ".npy"), u.Name)
	}
	return nil
}

// bare returns a file's name without its layout: x.npy of x.nhwc.npy.
func bare(rel string) string {
	dir, base := path.Split(rel)
	ext := path.Ext(base)
	if !slices.Contains([]string{".npy", ".npz", ".pt", ".pth", ".ckpt", ".safetensors"}, ext) {
		return rel
	}
	array := strings.TrimSuffix(base, ext) + ".npy" // filename reads layouts of .npy names
	if stem := filename.Plain(array); stem != "" {
		return dir + stem + ext
	}
	return rel
}
