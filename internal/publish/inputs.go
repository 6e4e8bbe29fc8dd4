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
	files   map[identity]string // the name by which each was added
	objects map[string]string
	newest  time.Time
	timed   int // inputs whose time of modification is known
	all     int
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
	in.all++
	if words.Scheme(name) != "" {
		if in.objects == nil {
			in.objects = map[string]string{}
		}
		in.objects[objectKey(name)] = name
		return
	}
	if info := in.stat(name); info != nil {
		in.add(name, info)
		in.time(info)
	}
}

// Protect adds a file whose time does not count for Newest: settings, a list of sources.
func (in *Inputs) Protect(name string) {
	if info := in.stat(name); info != nil {
		in.add(name, info)
	}
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

// AddOpen adds an open file, as standard input; name is for messages. A pipe can be no output.
func (in *Inputs) AddOpen(name string, file *os.File) {
	in.all++
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		in.add(name, info)
		in.time(info)
	}
}

func (in *Inputs) add(name string, info os.FileInfo) {
	if in.files == nil {
		in.files = map[identity]string{}
	}
	in.files[identify(name, info)] = name
}

func (in *Inputs) time(info os.FileInfo) {
	if in.timed++; info.ModTime().After(in.newest) {
		in.newest = info.ModTime()
	}
}

// Newest is when the input that was modified last was; ok is false if that is not known of every input.
func (in *Inputs) Newest() (t time.Time, ok bool) {
	if in == nil {
		return t, false
	}
	return in.newest, in.timed == in.all
}

// Refuse returns a fault.Usage if the output is one of the inputs, and a fault.Resource if that cannot be told.
func (in *Inputs) Refuse(output string) error {
	if in != nil && in.err != nil {
		return in.err
	}
	input, ok := in.find(output)
	if !ok {
		return nil
	}
	return isInput("output "+words.Quoted(output), output, input)
}

func (in *Inputs) find(output string) (input string, ok bool) {
	switch {
	case in == nil:
		return "", false
	case words.Scheme(output) != "":
		input, ok = in.objects[objectKey(output)]
		return input, ok
	}
	info, err := os.Stat(output)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	input, ok = in.files[identify(output, info)]
	return input, ok
}

// RefuseOpen is Refuse for an open file, as standard output.
func (in *Inputs) RefuseOpen(output string, file *os.File) error {
	info, err := file.Stat()
	if in == nil || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if input, ok := in.files[identify(output, info)]; ok {
		return isInput(output, "", input)
	}
	return nil
}

func isInput(shown, output, input string) error {
	if output == input {
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
