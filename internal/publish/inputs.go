package publish

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/words"
)

// Inputs are the files and objects that a command reads, by identity: no output may replace one of them, whatever name, link or
// spelling leads to it. The zero value is none.
type Inputs struct {
	names   map[any]string // by the identity of a file or the key of an object, the name by which it was added
	newest  time.Time
	untimed int   // inputs whose time of modification is unknown
	err     error // the first file that exists and cannot be described
}

// NewInputs are the inputs of these names. One that does not exist can be no output: reading it is going to fail.
func NewInputs(names ...string) *Inputs {
	in := &Inputs{}
	for _, name := range names {
		in.Add(name)
	}
	return in
}

// Add adds a file or an object by its name.
func (in *Inputs) Add(name string) {
	if words.Scheme(name) != "" {
		in.add(objectKey(name), name)
		in.time(nil)
		return
	}
	info := in.stat(name)
	in.addFile(name, info)
	in.time(info)
}

// Protect adds a file whose time does not count for Newest: settings, a list of sources.
func (in *Inputs) Protect(name string) { in.addFile(name, in.stat(name)) }

// AddOpen adds an open file, as standard input; name is for messages. A pipe can be no output.
func (in *Inputs) AddOpen(name string, file *os.File) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		info = nil
	}
	in.addFile(name, info)
	in.time(info)
}

// unreadable is why a file can be neither read nor be an output that is followed: reading it says so.
var unreadable = []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG}

// stat describes a file; nil if there is none. Where that is not known, nothing can be compared with it.
func (in *Inputs) stat(name string) os.FileInfo {
	info, err := os.Stat(name)
	if err == nil {
		return info
	}
	if in.err == nil && !slices.ContainsFunc(unreadable, func(why error) bool { return errors.Is(err, why) }) {
		in.err = failure("read", words.Quoted(name), err)
	}
	return nil
}

func (in *Inputs) addFile(name string, info os.FileInfo) {
	if info != nil {
		in.add(identify(name, info), name)
	}
}

func (in *Inputs) add(key any, name string) {
	if in.names == nil {
		in.names = map[any]string{}
	}
	in.names[key] = name
}

func (in *Inputs) time(info os.FileInfo) {
	switch {
	case info == nil:
		in.untimed++
	case info.ModTime().After(in.newest):
		in.newest = info.ModTime()
	}
}

// Newest is when the input that was modified last was; ok is false if that is not known of every input.
func (in *Inputs) Newest() (t time.Time, ok bool) {
	if in == nil {
		return t, false
	}
	return in.newest, in.untimed == 0
}

// Refuse returns a fault.Usage if the output is one of the inputs, and a fault.Resource if that cannot be told.
func (in *Inputs) Refuse(output string) error {
	shown := "output " + words.Quoted(output)
	switch {
	case in == nil:
		return nil
	case in.err != nil:
		return in.err
	case words.Scheme(output) != "":
		return in.refuse(objectKey(output), shown, output)
	}
	info, err := os.Stat(output)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return in.refuse(identify(output, info), shown, output)
}

// RefuseOpen is Refuse for an open file, as standard output.
func (in *Inputs) RefuseOpen(output string, file *os.File) error {
	info, err := file.Stat()
	if in == nil || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return in.refuse(identify(output, info), output, "")
}

func (in *Inputs) refuse(key any, shown, output string) error {
	input, ok := in.names[key]
	switch {
	case !ok:
		return nil
	case output == input:
		return fault.New(fault.Usage, "%s is the input itself", shown).WithHint("write to another name")
	}
	return fault.New(fault.Usage, "%s is the input %s", shown, words.Quoted(input)).WithHint("write to another name")
}

// objectKey is the same for all spellings of an object's URL.
func objectKey(name string) string {
	u, err := store.Parse(name)
	if err != nil {
		return name
	}
	return u.String()
}
