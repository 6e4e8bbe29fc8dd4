package pt2

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// payload is PayloadMeta: where a tensor is.
type payload struct {
	Path      string `json:"path_name"`
	UsePickle bool   `json:"use_pickle"`
	Meta      *meta  `json:"tensor_meta"` // nil for objects that are no tensors
}

// meta is TensorMeta.
type meta struct {
	DType   int      `json:"dtype"`
	Sizes   []symInt `json:"sizes"`
	Strides []symInt `json:"strides"`
	Offset  symInt   `json:"storage_offset"`
	Layout  int      `json:"layout"`
	Device  struct {
		Type  string `json:"type"`
		Index *int   `json:"index"`
	} `json:"device"`
}

// symInt is SymInt: a number, or an expression, whose Int is nil.
type symInt struct {
	Int *int64 `json:"as_int"`
}

// config reads a PayloadConfig, {"config": {NAME: payload, …}}, in its own order.
func (r *reader) config(p part, prefix string) error {
	raw, err := r.content(p.member, r.maxConfig())
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	listed := false
	err = object(d, func(key string) error {
		if key != "config" {
			var ignored json.RawMessage
			return d.Decode(&ignored)
		}
		listed = true
		return object(d, func(name string) error {
			var x payload
			if err := d.Decode(&x); err != nil {
				return inTensor(name, asFault(err))
			}
			return r.payload(p.folder, prefix+name, x)
		})
	})
	if err != nil {
		return asFault(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return damaged("bytes follow the JSON")
	}
	if !listed {
		return damaged("it has no config")
	}
	return nil
}

// object reads a JSON object, whose values each reads.
func object(d *json.Decoder, each func(key string) error) error {
	begin, err := d.Token()
	if err != nil {
		return err
	}
	if begin != json.Delim('{') {
		return damaged("it is not a JSON object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return damaged("a key is not a text")
		}
		if err := each(name); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// asFault returns an error of encoding/json as Malformed, without the names of Go types; others as they are.
func asFault(err error) error {
	var e *fault.Error
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &e):
		return err
	case errors.As(err, &wrong):
		return damaged("%s is a JSON %s", checkpoint.Quoted(wrong.Field), checkpoint.Quoted(wrong.Value))
	case errors.As(err, &syntax):
		return damaged("it is not JSON at byte %d", syntax.Offset)
	}
	return damaged("its JSON ends too early")
}
