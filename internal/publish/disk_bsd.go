//go:build !linux && !darwin && !windows

package publish

// moveNew gives the draft the output's name, unless something has it.
func moveNew(p *place, temp string) error { return linkNew(p, temp) }
