//go:build !js

package convertcmd

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
)

// Check refuses a list before anything is converted: if two sources have the same result, or if a result is an input or exists without --force and
// --update.
func (c *Converter) Check(l *batch.List) error { return c.check(l, l, nil) }

// check checks a shard (mine) of all sources, which args named.
func (c *Converter) check(all, mine *batch.List, args []name.Name) error {
	if err := c.refuseCollisions(all); err != nil {
		return err
	}
	existing, err := listResults(c.options.dir)
	if err != nil {
		return err
	}
	inputs := sync.OnceValue(func() *publish.Inputs { return c.inputsOf(all, args) })
	for u := range mine.All() {
		for found := range existing.existing(u) {
			if c.options.replaces() && inputs().Refuse(existing.folder(u).Join(found)) == nil {
				continue
			}
			out, _ := c.destination(u) // a source that fails has no result
			if found != out.Base() {
				continue
			}
			if !c.options.replaces() {
				return resultExists(out)
			}
			return inputs().Refuse(out)
		}
	}
	return nil
}

// inputsOf returns the files of all sources, and the lists that name them.
func (c *Converter) inputsOf(all *batch.List, args []name.Name) *publish.Inputs {
	inputs := c.app.Inputs()
	for u := range all.All() {
		for _, file := range source.Files(u.Name) {
			c.app.AddInput(inputs, file)
		}
	}
	for _, arg := range args {
		if arg.Kind() == name.List && arg != name.StdinList {
			inputs.Protect(arg.ListFile())
		}
	}
	if c.options.many.Stdin || slices.Contains(args, name.StdinList) {
		c.app.AddInput(inputs, name.Standard)
	}
	return inputs
}

// refuseCollisions refuses sources whose results would have the same name.
func (c *Converter) refuseCollisions(l *batch.List) error {
	for group := range l.Alike(bareName) {
		taken := map[name.Name]name.Name{}
		for _, u := range group {
			out, err := c.destination(u)
			if err != nil {
				continue // it has no result
			}
			if other, ok := taken[out]; ok {
				return fault.New(fault.Usage, "%s and %s would both become %s", other, u.Name, out).
					WithHint("pass their folder or a quoted pattern to keep the paths, or convert them into two folders")
			}
			taken[out] = u.Name
		}
	}
	return nil
}

// bareName returns what sources with the same result have in common: the name without the endings for container and layout, and without a pattern of
// members.
func bareName(rel string) string {
	dir, base := path.Split(rel)
	if file, member, ok := strings.Cut(base, ":"); ok && (member == "" || strings.ContainsAny(member, `*?[\`)) {
		return bareName(dir + file)
	} else if ok {
		return dir + strings.TrimSuffix(file, path.Ext(file)) + "." + member
	}
	return dir + filename.Plain(base)
}
