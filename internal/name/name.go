// Package name has the name of a source or of an output, as a user types it: "-", x.npy, x.npz:w, @list.txt, https://host/x.npy?sig=…,
// s3://bucket/key. No other package cuts such a name, and none but those that open files sees it as it is: printed, a Name is quoted, and the
// secrets of a URL are removed from it.
package name

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Kind is what a name names, by its syntax.
type Kind int

// The kinds.
const (
	File   Kind = iota // a path of a file or a folder, a pattern of paths, or a tensor in a file
	Stdin              // -
	List               // @list.txt, a file with names, unless a file has that name; see StdinList
	URL                // http:// and https://
	Object             // another scheme: an object of a store, or a prefix
)

// Name is the name of a source or of an output. The zero value is the empty name. Two names are equal if they were typed alike.
type Name struct {
	raw  string
	kind Kind
}

// StdinList is the list on standard input.
var StdinList = Parse("@-")

// Standard is standard input as a source, and standard output as an output.
var Standard = Parse("-")

// Parse returns the name that an argument is. It looks at nothing but the text.
func Parse(arg string) Name { return Name{arg, kindOf(arg)} }

func kindOf(arg string) Kind {
	if arg == "-" {
		return Stdin
	}
	if strings.HasPrefix(arg, "@") {
		return List
	}
	switch text.Scheme(arg) {
	case "":
		return File
	case "http", "https":
		return URL
	}
	return Object
}

// ParseAll parses each argument.
func ParseAll(args []string) []Name {
	all := make([]Name, len(args))
	for i, arg := range args {
		all[i] = Parse(arg)
	}
	return all
}

// Kind returns what the name names.
func (n Name) Kind() Kind { return n.kind }

// IsZero reports whether this is no name.
func (n Name) IsZero() bool { return n.raw == "" }

// IsStdin reports whether the name is "-".
func (n Name) IsStdin() bool { return n.kind == Stdin }

// IsRemote reports whether the name is a URL of any scheme.
func (n Name) IsRemote() bool { return n.kind == URL || n.kind == Object }

// Check refuses the empty name, which an unset "$FILE" expands to. Errors are fault.Usage.
func (n Name) Check() error {
	if n.IsZero() {
		return fault.New(fault.Usage, "empty file name").WithHint("is a shell variable unset?")
	}
	return nil
}

// Raw returns the name as it was typed, with its secrets, for the packages that open files and objects. cmd/tlayout/arch_test.go lists them.
func (n Name) Raw() string { return n.raw }

// String returns the name for a sentence: in quotes, safe to print, without secrets.
func (n Name) String() string { return `"` + n.Quote() + `"` }

// Cut is String of at most so many characters.
func (n Name) Cut(characters int) string { return text.Quoted(text.Cut(n.Redacted(), characters)) }

// Format prints the name as String does, whatever the verb: %+v and %#v would print the fields.
func (n Name) Format(s fmt.State, _ rune) { io.WriteString(s, n.String()) } //nolint:errcheck // fmt ignores it too

// Subject returns the name to begin a sentence with: String, or the words for standard input.
func (n Name) Subject() string {
	if n.IsStdin() {
		return StdinText
	}
	return n.String()
}

// StdinText is what standard input is called in sentences.
const StdinText = "standard input"

// Shown returns the name for a table or a title: safe to print, without secrets and quotes.
func (n Name) Shown() string {
	if n.IsStdin() {
		return StdinText
	}
	if n.IsZero() {
		return "tensor"
	}
	return n.Quote()
}

// Quote returns the name safe to print and without secrets, whatever it is: an argument of a flag.
func (n Name) Quote() string { return text.Quote(n.Redacted()) }

// Below returns the name of a tensor without the folder of its container, as Shown does: x.npz:conv/w.
func (n Name) Below(container Name) string {
	whole := n.Redacted()
	path := container.Redacted()
	if path == "" || !strings.HasPrefix(whole, path+":") {
		path = whole
	}
	if path == "" {
		return n.Shown()
	}
	return Parse(filepath.Base(path) + whole[len(path):]).Shown()
}

// Redacted returns the name for a document: as it was typed, without secrets. Its bytes are not safe to print.
func (n Name) Redacted() string {
	if n.kind == List {
		return "@" + n.ListFile().Redacted()
	}
	return text.Redact(n.raw)
}

// Bytes returns the bytes of Redacted if JSON cannot hold them, because they are not UTF-8; otherwise nil.
func (n Name) Bytes() []byte {
	redacted := n.Redacted()
	if utf8.ValidString(redacted) {
		return nil
	}
	return []byte(redacted)
}

// Arg returns the name as an argument of a printed command.
func (n Name) Arg() string { return text.File(n.Redacted()) }

// Python returns the name as a literal of Python.
func (n Name) Python() string { return text.Python(n.Redacted()) }

// IsTypable reports whether a printed command can name this: it has no secrets, and no NUL, which ends an argument.
func (n Name) IsTypable() bool { return text.Typable(n.raw) && n.Redacted() == n.raw }

// Stat describes the file of that name, following links.
func (n Name) Stat() (fs.FileInfo, error) { return os.Stat(n.raw) }

// Open opens the file of that name, to read what is not a source: a list, the mark of a folder.
func (n Name) Open() (*os.File, error) { return os.Open(n.raw) }

// ReadDir returns the entries of the folder of that name, sorted.
func (n Name) ReadDir() ([]fs.DirEntry, error) { return os.ReadDir(n.raw) }

// Exists reports whether there is a file, a link or a folder of that name.
func (n Name) Exists() bool {
	_, err := os.Lstat(n.raw)
	return err == nil
}

// IsFolder reports whether there is a folder of that name.
func (n Name) IsFolder() bool {
	info, err := n.Stat()
	return err == nil && info.IsDir()
}

// IsFile reports whether there is a regular file of that name.
func (n Name) IsFile() bool {
	info, err := n.Stat()
	return err == nil && info.Mode().IsRegular()
}
