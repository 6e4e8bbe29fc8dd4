package onnx

import (
	"encoding/binary"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/protobuf"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// typed sets where the elements of a typed field are. Floats in one piece are little-endian bytes in the file; all others are decoded into memory.
// It reports false if that takes more than is left.
func (r *reader) typed(p *proto, d dtype.Type, s *checkpoint.Storage) (fits bool, err error) {
	isFloats := p.field == floatData || p.field == doubleData
	if isFloats && p.pieces == 1 && p.data.Bytes == s.Bytes {
		s.At = p.data.At
		return true, nil
	}
	if s.Bytes > r.inline {
		return false, nil
	}
	var data []byte
	for x, err := range r.file.Fields(p.section) {
		if err != nil {
			return false, err
		}
		if elementFields[x.Tag] != p.field {
			continue
		}
		data, err = r.decode(data, x, d.ItemSize(), s.Bytes)
		if err != nil {
			return false, err
		}
	}
	if int64(len(data)) != s.Bytes {
		return false, damaged("its shape has %d bytes, %s %d", s.Bytes, fieldNames[p.field], len(data))
	}
	r.inline -= s.Bytes
	s.Inline = true
	s.Data = string(data)
	return true, nil
}

// decode appends the elements of one piece of a field, of which each number in a varint gives itemsize bytes, at most limit in all.
func (r *reader) decode(data []byte, x protobuf.Field, itemsize int, limit int64) ([]byte, error) {
	number := elementFields[x.Tag]
	if number == floatData || number == doubleData {
		if x.Bytes > limit-int64(len(data)) {
			return nil, tooMany(number, limit)
		}
		p, err := r.file.Content(x.Section)
		return append(data, p...), err
	}
	var raw [8]byte
	for v, err := range r.file.Varints(x) {
		if err != nil {
			return nil, err
		}
		if int64(len(data)+itemsize) > limit {
			return nil, tooMany(number, limit)
		}
		binary.LittleEndian.PutUint64(raw[:], v)
		data = append(data, raw[:itemsize]...)
	}
	return data, nil
}

func tooMany(field int, bytes int64) error {
	return damaged("its shape has %d bytes, %s more", bytes, fieldNames[field])
}
