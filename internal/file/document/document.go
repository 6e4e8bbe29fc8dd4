// Package document reads and writes JSON documents about tensors: layout.json, which records the layouts of an archive's arrays, descriptions of
// tensors in the memory of other programs, and the head of a report about a source.
package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/text"
)

// problem describes an error of encoding/json without the names of Go types.
func problem(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("invalid JSON at byte %d", syntax.Offset)
	}
	if errors.As(err, &typ) {
		return fmt.Sprintf("a %s is invalid for member %s", text.Quote(text.Cut(typ.Value, 60)), text.Quote(text.Cut(typ.Field, 60)))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "unexpected end"
	}
	return text.Quote(text.Cut(strings.TrimPrefix(err.Error(), "json: "), 120))
}
