// Package document reads and writes the program's JSON documents about tensors: layout.json, which records the layouts of an archive's
// arrays, descriptions of tensors in the memory of other programs, and what begins a report about a source.
package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// trouble explains an error of encoding/json without the names of Go types.
func trouble(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("no JSON at byte %d", syntax.Offset)
	case errors.As(err, &typ):
		return fmt.Sprintf("a %s does not fit its member %s", words.Quote(words.Cut(typ.Value, 60)), words.Quote(words.Cut(typ.Field, 60)))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it ends too early"
	}
	return words.Quote(words.Cut(strings.TrimPrefix(err.Error(), "json: "), 120))
}
