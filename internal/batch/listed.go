package batch

import (
	"bufio"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// maxName bounds the bytes of a name in a list.
const maxName = 1 << 16

// listed adds the names listed in a file. They keep their paths in the destination, without a leading slash or "../".
func (e *expansion) listed(list name.Name) error {
	in := e.Stdin
	shown := name.StdinText
	if list != name.StdinList {
		from := list.ListFile()
		shown = from.String()
		file, err := from.Open()
		if err != nil {
			return failure(from, err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), maxName)
	lines.Split(e.splitNames)
	for lines.Scan() {
		line := lines.Text()
		if !e.Null {
			line = strings.TrimSuffix(line, "\r")
		}
		if line == "" {
			continue
		}
		if err := e.line(name.Parse(line)); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fault.New(fault.Resource, "cannot read the list %s: %v", shown, fault.Cause(err))
	}
	return nil
}

// splitNames is the bufio.SplitFunc of a list: names end with a newline, or with a zero byte.
func (e *expansion) splitNames(data []byte, last bool) (advance int, token []byte, err error) {
	end := byte('\n')
	if e.Null {
		end = 0
	}
	if at := slices.Index(data, end); at >= 0 {
		return at + 1, data[:at], nil
	}
	if last && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// line adds what a name in a list stands for.
func (e *expansion) line(n name.Name) error {
	if n.IsRemote() {
		if !prefixOf(n).IsZero() {
			return e.remote(n)
		}
		e.list.Add(Item{Name: n, Rel: n.Inside()})
		return nil
	}
	rel := n.Inside()
	info, err := n.Stat()
	if err != nil {
		e.list.Add(Item{Name: n, Rel: rel})
		return nil
	}
	if !info.IsDir() {
		e.list.Add(Item{n, rel, info.Size()})
		return nil
	}
	dir := n.Raw()
	if strings.HasSuffix(filepath.ToSlash(dir), rel) {
		return e.folder(dir, len(dir)-len(rel), true)
	}
	return e.folder(dir, len(withSlash(dir)), true)
}
