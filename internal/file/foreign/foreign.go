// Package foreign recognizes what files are that hold no tensor in a format that is read, by their bytes, and names the command that converts one to
// a .npy file, an archive or a checkpoint. formats.go is the table.
package foreign

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// format is a well-known format, and how to get its tensors into a file that is read.
type format struct {
	name        string
	magic       []string                              // one of these is in the file; nil if it is recognized otherwise
	at          int                                   // byte at which the magic is
	contains    string                                // is in the file's first bytes too
	matchesHead func(head string, size int64) bool    // recognizes the first bytes of a file of size bytes
	members     []string                              // of a zip archive: a member's name ends in one of these
	inside      []string                              // the file in a folder of this format
	endings     []string                              // endings of names; ? is any character
	sharesMagic bool                                  // other formats share the magic: the ending must match too
	python      string                                // IN is the file, OUT its name without the ending; empty if there is no such line
	hint        func(n name.Name, head string) string // another command; nil if there is none
	advice      string                                // a remark after the command
}

// lfsMagic begins Git LFS's pointer to a file. (git-lfs/git-lfs, docs/spec.md: a pointer is smaller than 1024 bytes)
const lfsMagic = "version https://git-lfs.github.com/spec/v1\n"

// LFSPointer returns the error for a file that starts like this and is only a Git LFS pointer: fault.Unsupported; nil for others.
func LFSPointer(head string) error {
	if !strings.HasPrefix(head, lfsMagic) {
		return nil
	}
	sized := ""
	for line := range strings.Lines(head) {
		if size, ok := strings.CutPrefix(strings.TrimSpace(line), "size "); ok {
			if bytes, err := strconv.ParseInt(size, 10, 64); err == nil && bytes >= 0 {
				sized = ", which has " + text.ExactBytes(bytes)
			}
		}
	}
	return fault.New(fault.Unsupported, "a Git LFS pointer instead of the file itself%s", sized).WithHint("git lfs pull fetches it")
}

// Recognize returns the error for a file of size bytes with one of the formats, by its first bytes or else by its name: fault.Unsupported; nil for
// others.
func Recognize(n name.Name, head string, size int64) error {
	for i := range formats {
		if formats[i].matches(n, head, size) {
			return formats[i].refuse(n, head)
		}
	}
	for i, f := range formats {
		if slices.Contains(f.inside, n.Base()) && strings.Contains(head, f.contains) {
			return formats[i].refuse(n.Parent(), head)
		}
	}
	if err := recognizeText(n, head, size); err != nil {
		return err
	}
	for i := range formats {
		if n.MatchesEnding(formats[i].endings...) {
			return formats[i].refuse(n, head)
		}
	}
	return nil
}

// matches reports whether a file's first bytes are this format's, and its name where others share them.
func (f *format) matches(n name.Name, head string, size int64) bool {
	if f.matchesHead != nil {
		return f.matchesHead(head, size)
	}
	has := func(m string) bool { return len(head) > f.at && strings.HasPrefix(head[f.at:], m) }
	return slices.ContainsFunc(f.magic, has) && strings.Contains(head, f.contains) && (!f.sharesMagic || n.MatchesEnding(f.endings...))
}

// Folder returns the error for a folder with one of the formats: fault.Unsupported; nil for others.
func Folder(n name.Name) error {
	for i, f := range formats {
		for _, file := range f.inside {
			if isRegularWith(n.Join(file), f.contains) {
				return fault.In(n.String(), formats[i].refuse(n.Clean(), ""))
			}
		}
	}
	return nil
}

// isRegularWith reports whether a file is a regular one whose first bytes contain a text.
func isRegularWith(n name.Name, contains string) bool {
	if !n.IsFile() {
		return false
	}
	file, err := n.Open()
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 1024)
	size, _ := io.ReadFull(file, head) // a shorter file has what it has
	return strings.Contains(string(head[:size]), contains)
}

// Zip returns the error for a zip archive with one of the formats, by its members' names: fault.Unsupported; nil for
// others.
func Zip(n name.Name, members []string) error {
	for i, f := range formats {
		for _, end := range f.members {
			if slices.ContainsFunc(members, func(m string) bool { return strings.HasSuffix(m, end) }) {
				return formats[i].refuse(n, "")
			}
		}
	}
	return nil
}

// refuse returns the error for a file of this format, with the command that converts it as the hint.
func (f *format) refuse(n name.Name, head string) error {
	e := fault.New(fault.Unsupported, "%s, not a .npy file", f.name)
	if f.hint != nil {
		return e.WithHint("%s%s", f.hint(n, head), f.advice)
	}
	if f.python == "" {
		return e.WithHint("%s", f.advice)
	}
	return e.WithHint("%s%s", command(f.python, n), f.advice)
}

// command returns the command that runs Python's line for a file.
func command(line string, n name.Name) string {
	in := n
	out := n.WithEnding("")
	if n.IsRemote() || out.IsDots() {
		in = name.Parse("FILE")
		out = name.Parse("OUT")
	}
	literals := []string{"'IN'", in.Python()}
	for _, ending := range []string{".npy", ".npz", ".pt"} {
		literals = append(literals, "'OUT"+ending+"'", out.Plus(ending).Python())
	}
	return "python3 -c " + text.Shell(strings.NewReplacer(literals...).Replace(line))
}
