//go:build !linux && !darwin && !windows

package publish

// moveNew gives the draft the output's name if it is free.
func moveNew(p *target, temp string) error { return linkNew(p, temp) }
