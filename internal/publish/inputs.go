package publish

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/store"
)

// Inputs identifies the files and objects that a command reads: no output may replace one of them, under any name, link or spelling. The
// zero value is empty.
type Inputs struct {
	names   map[any]name.Name // file identity or object key → the name it was added under
	newest  time.Time
	untimed int   // inputs with unknown modification time
	err     error // from the first file that exists but cannot be examined
}

// NewInputs returns the inputs with these names. It ignores a missing one: reading it fails later.
func NewInputs(names ...name.Name) *Inputs {
	in := &Inputs{}
	for _, n := range names {
		in.Add(n)
	}
	return in
}

// Add adds a file or an object by its name.
func (in *Inputs) Add(n name.Name) {
	if n.IsRemote() {
		in.add(objectKey(n), n)
		in.time(nil)
		return
	}
	info := in.stat(n)
	in.addFile(n, info)
	in.time(info)
}

// Protect adds a file that Newest ignores: settings, a list of sources.
func (in *Inputs) Protect(n name.Name) { in.addFile(n, in.stat(n)) }

// AddOpen adds an open file, such as standard input; what is its name in messages. A pipe is ignored: no output can replace it.
func (in *Inputs) AddOpen(what string, file *os.File) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		info = nil
	}
	in.addFile(name.Parse(what), info)
	in.time(info)
}

// unreadable lists the errors of files that can be neither an input nor a followed output: reading them reports the error.
var unreadable = []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG}

// stat describes a file; it returns nil for one that does not exist or cannot be examined.
func (in *Inputs) stat(n name.Name) os.FileInfo {
	info, err := n.Stat()
	if err == nil {
		return info
	}
	if in.err == nil && !slices.ContainsFunc(unreadable, func(why error) bool { return errors.Is(err, why) }) {
		in.err = failure("read", n.String(), err)
	}
	return nil
}

func (in *Inputs) addFile(n name.Name, info os.FileInfo) {
	if info != nil {
		in.add(identify(n.Raw(), info), n)
	}
}

func (in *Inputs) add(key any, n name.Name) {
	if in.names == nil {
		in.names = map[any]name.Name{}
	}
	in.names[key] = n
}

func (in *Inputs) time(info os.FileInfo) {
	if info == nil {
		in.untimed++
		return
	}
	if info.ModTime().After(in.newest) {
		in.newest = info.ModTime()
	}
}

// Newest returns the latest modification time of the inputs; ok is false if any input's is unknown.
func (in *Inputs) Newest() (t time.Time, ok bool) {
	if in == nil {
		return t, false
	}
	return in.newest, in.untimed == 0
}

// Refuse returns fault.Usage if the output is one of the inputs, and fault.Resource if that cannot be determined.
func (in *Inputs) Refuse(output name.Name) error {
	if in == nil {
		return nil
	}
	if in.err != nil {
		return in.err
	}
	shown := "output " + output.String()
	if output.IsRemote() {
		return in.refuse(objectKey(output), shown, output)
	}
	info, err := output.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return in.refuse(identify(output.Raw(), info), shown, output)
}

// RefuseOpen is Refuse for an open file, such as standard output.
func (in *Inputs) RefuseOpen(output string, file *os.File) error {
	info, err := file.Stat()
	if in == nil || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return in.refuse(identify(output, info), output, name.Name{})
}

func (in *Inputs) refuse(key any, shown string, output name.Name) error {
	input, ok := in.names[key]
	if !ok {
		return nil
	}
	if output == input {
		return fault.New(fault.Usage, "%s is the input itself", shown).WithHint("write to another name")
	}
	return fault.New(fault.Usage, "%s is the same as input %s", shown, input).WithHint("write to another name")
}

// objectKey returns one key for all spellings of an object's URL.
func objectKey(n name.Name) name.Name {
	u, err := store.Parse(n)
	if err != nil {
		return n
	}
	return u.Name()
}
