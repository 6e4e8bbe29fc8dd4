package source

import (
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/words"
)

// container is an opened file of several tensors: an archive of arrays or a checkpoint.
type container interface {
	where() string // its path
	Unchanged() error
	// open opens the tensor of that name as the source called name. Closing it does not close the container.
	open(name, member string, o Options) (*Tensor, error)
	// has reports whether there is a tensor of exactly that name.
	has(member string) bool
	// names are those of the tensors that match a pattern, at most limit.
	names(pattern string, limit int) ([]string, error)
	// complete are all names that may follow x.npz: on a command line.
	complete() []string
	// refuse is the error where one tensor is wanted and none is named.
	refuse() error
	list(o Options) (*Listing, error)
	Close()
}

// Listing is what a container holds: one of the two.
type Listing struct {
	Archive    *Archive
	Checkpoint *Checkpoint
}

// containerEndings end the names of containers, in any case; a colon and the name of a tensor may follow.
var containerEndings = append([]string{archiveSuffix}, checkpointEndings...)

// checkpointEndings are those that PyTorch's, safetensors' and llama.cpp's users give checkpoints. A file's bytes decide what it is.
var checkpointEndings = []string{".safetensors", ".pt", ".pth", ".ckpt", ".bin", ".gguf", indexEnding}

// indexEnding ends the name of the index of a checkpoint that is several files.
const indexEnding = ".index.json"

// Endings are those of the names of files that are sources, without their dots.
func Endings() []string {
	return []string{"npy", "npz", "pt", "pth", "ckpt", "bin", "safetensors", "gguf", "json"}
}

// splitMember splits x.npz:name, unless there is a file of that name. What is before the colon is a container by its name, or by its bytes.
func splitMember(name string) (path, member string, ok bool) {
	p, ok := splitPlace(name)
	return p.Path, p.Member, ok
}

// splitPlace is splitMember, with the format of a container whose bytes had to be read.
func splitPlace(name string) (p Place, ok bool) {
	for i := hostEnd(name); i < len(name); i++ {
		if name[i] != ':' {
			continue
		}
		p = Place{Path: name[:i]}
		if namesContainer(p.Path) || !IsRemote(name) && p.readFormat() {
			p.Member = name[i+1:]
			return p, IsRemote(name) || !exists(name)
		}
	}
	return Place{}, false
}

// readFormat reports whether a file here is a container by its bytes, and notes its format.
func (p *Place) readFormat() bool {
	if info, err := os.Stat(p.Path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	found, ok := located(p.Path)
	p.Format = found.Format
	return ok && p.Format != ""
}

// namesContainer reports whether a name ends as that of a container may.
func namesContainer(name string) bool { return endsIn(name, containerEndings...) }

// NamesTensor reports whether a name is, by its endings, that of a container or of a tensor of one. A name in .bin alone may also be
// that of raw bytes, and is not.
func NamesTensor(name string) bool {
	if namesContainer(name) && !endsIn(name, ".bin") {
		return true
	}
	for i := hostEnd(name); i < len(name); i++ {
		if name[i] == ':' && namesContainer(name[:i]) {
			return true
		}
	}
	return false
}

// endsIn reports whether a name ends in one of the endings, in any case.
func endsIn(name string, endings ...string) bool {
	name = words.URLPath(name)
	for _, ending := range endings {
		if at := len(name) - len(ending); at >= 0 && strings.EqualFold(name[at:], ending) {
			return true
		}
	}
	return false
}

// openContainer opens the container at path. A file that is none is fault.Unsupported.
func openContainer(path string, o Options) (container, error) {
	b, err := openInput(path)
	if err != nil {
		return nil, err
	}
	b.take(o)
	return newContainer(path, b)
}

// newContainer takes b over.
func newContainer(path string, b *input) (container, error) {
	format, err := b.containerFormat(path)
	switch {
	case err != nil:
		b.Close()
		return nil, err
	case format == checkpoint.NPZ:
		return newArchive(path, b)
	case format != "":
		return newCheckpoint(path, b, format)
	}
	err = b.otherFormat(path)
	b.Close()
	if err == nil {
		err = fault.New(fault.Unsupported, "%s holds no named tensors", words.Quoted(path)).
			WithHint("a colon and a name choose one of a .npz file, a PyTorch checkpoint, a safetensors or a GGUF file")
	}
	return nil, err
}

// containerFormat tells by a file's bytes, and by its name where they do not suffice, which container it is, NPZ for an archive of arrays; ""
// for none.
func (b *input) containerFormat(name string) (format checkpoint.Format, err error) {
	var head [64]byte
	err = b.Guard(func() error {
		n, _ := b.ReadAt(head[:], 0) // what cannot be read is not recognized
		format = b.recognizeContainer(name, string(head[:n]))
		return nil
	})
	return format, err
}

// only is the name of the container's tensor if it has one.
func only(c container) (name string, ok bool) {
	if k, ok := c.(*Checkpoint); ok && len(k.Refused)+len(k.Findings) > 0 {
		return "", false // one tensor is not all that it has
	}
	names, err := c.names("", 2)
	if err != nil || len(names) != 1 || !c.has(names[0]) {
		return "", false // whoever uses the container meets the error again
	}
	return names[0], true
}

// Complete returns the names of the tensors with the prefix typed: x.npz:w for x.npz:. It returns none if typed does not name a
// container that can be read.
func Complete(typed string) (names []string) {
	path, _, ok := splitMember(typed)
	if !ok {
		return nil
	}
	c, err := openContainer(path, Options{})
	if err != nil {
		return nil
	}
	defer c.Close()
	for _, key := range c.complete() {
		if name := path + ":" + key; strings.HasPrefix(name, typed) && words.Quote(name) == name {
			names = append(names, name)
		}
	}
	return names
}
