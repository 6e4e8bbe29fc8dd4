package publish

import "os"

// draft is a file that has not got its name yet.
type draft interface {
	// handle returns the open file. After publish or abandon it may be closed.
	handle() *os.File

	// publish reports what closing the file would report, and gives the file its name in one step. Whatever has that
	// name is replaced, or, without replace, is kept and makes an error that is fs.ErrExist. After an error the name
	// means what it meant before.
	publish(replace bool) error

	// abandon removes what can be seen of the draft in its directory. It may run while another goroutine uses the
	// handle.
	abandon()
}
