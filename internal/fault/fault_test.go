package fault

import (
	"errors"
	"fmt"
	"testing"
)

// Class and hint survive when an error is told where it happened; foreign errors count as Resource.
func TestIn(t *testing.T) {
	err := In("x.npy", New(Malformed, "header of %d bytes", 7).WithHint("look %s", "there"))
	var e *Error
	if !errors.As(err, &e) || e.Text != "x.npy: header of 7 bytes" || e.Hint != "look there" || ClassOf(err) != Malformed {
		t.Errorf("%+v", err)
	}
	if In("x", nil) != nil {
		t.Error("no error became one")
	}
	foreign := In("x", errors.New("broken"))
	if foreign.Error() != "x: broken" || ClassOf(foreign) != Resource {
		t.Errorf("%v is of class %d", foreign, ClassOf(foreign))
	}
	if ClassOf(fmt.Errorf("wrapped: %w", New(Usage, "u"))) != Usage {
		t.Error("a wrapped error lost its class")
	}
}
