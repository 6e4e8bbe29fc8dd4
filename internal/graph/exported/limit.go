package exported

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Limits of the program of an archive, which has 1.4 KB for each operator.
const (
	maxModel = 64 << 20 // bytes
	maxNodes = 1 << 17  // operators, or tensors: two bytes of JSON may become hundreds
)

// exportedNodes are at most maxNodes nodes.
type exportedNodes []exportedNode

// UnmarshalJSON reads a list of nodes.
func (n *exportedNodes) UnmarshalJSON(raw []byte) error {
	d, err := opened(raw, '[')
	if d == nil {
		return err
	}
	for d.More() {
		var node exportedNode
		if err := d.Decode(&node); err != nil {
			return err
		}
		if len(*n) >= maxNodes {
			return tooMany("operators")
		}
		*n = append(*n, node)
	}
	return nil
}

// exportedValues are at most maxNodes tensors by name.
type exportedValues map[string]exportedMeta

// UnmarshalJSON reads an object of tensors.
func (v *exportedValues) UnmarshalJSON(raw []byte) error {
	d, err := opened(raw, '{')
	if d == nil {
		return err
	}
	*v = exportedValues{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var meta exportedMeta
		if err := d.Decode(&meta); err != nil {
			return err
		}
		if len(*v) >= maxNodes {
			return tooMany("tensors")
		}
		(*v)[name.(string)] = meta // a key is a string
	}
	return nil
}

// opened returns a decoder behind the bracket that opens a document; nil for null, and with an error for anything else.
func opened(raw []byte, bracket json.Delim) (*json.Decoder, error) {
	if string(raw) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	first, err := d.Token()
	if err != nil {
		return nil, err
	}
	if first != bracket {
		return nil, fault.New(fault.Malformed, "want %s", bracket)
	}
	return d, nil
}

func tooMany(what string) error {
	return fault.New(fault.Resource, "the program has more than %d %s", maxNodes, what)
}

// inModel returns the error of a member that cannot be decoded: Malformed, unless the error has a class of its own.
func inModel(member string, err error) error {
	own := new(fault.Error)
	if errors.As(err, &own) {
		return fault.In(text.Quoted(member), own)
	}
	return fault.New(fault.Malformed, "%s: %s", text.Quoted(member), text.Quote(err.Error()))
}
