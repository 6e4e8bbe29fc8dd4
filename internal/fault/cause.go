package fault

import "errors"

// Cause is the innermost error that err wraps, without what the os package and others put around it.
func Cause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
