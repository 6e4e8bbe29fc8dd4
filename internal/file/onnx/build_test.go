package onnx

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/onnx/onnxtest"
	"github.com/tlayout/tlayout/internal/hostile"
)

// message is a message of protobuf that a test writes.
type message = onnxtest.Message

// tensor begins a TensorProto.
func tensorOf(name string, kind uint64, dims ...uint64) message {
	return message{}.Packed(1, dims...).Number(2, kind).Text(8, name)
}

// graphOf is a GraphProto of initializers.
func graphOf(tensors ...message) message {
	var g message
	for _, t := range tensors {
		g = g.Bytes(5, t)
	}
	return g
}

// node is a NodeProto with one attribute, whose tensor or graph is field 5, 6 or 11 of it.
func node(operator, output, attribute string, field int, content message) message {
	return message{}.Text(1, "x").Text(2, output).Text(2, "other").Text(4, operator).Bytes(5, message{}.Text(1, attribute).Bytes(field, content))
}

// modelOf is a ModelProto.
func modelOf(graph message) message { return message{}.Number(1, 10).Text(2, "test").Bytes(7, graph) }

func open(raw []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(raw), int64(len(raw)), checkpoint.DefaultLimit)
}

// elements returns the bytes of a tensor.
func elements(c *checkpoint.Container, i int, raw []byte) []byte {
	s := c.Storages[c.Tensors[i].Storage]
	if s.Inline {
		return []byte(s.Data)
	}
	return raw[s.At : s.At+s.Bytes]
}

// list returns a container's tensors, one a line: name, type, shape, and elements or where they are.
func list(c *checkpoint.Container, raw []byte) string {
	var lines []string
	for i, t := range c.Tensors {
		s := c.Storages[t.Storage]
		where := fmt.Sprintf("%s %d+%d", s.File, s.At, s.Bytes)
		if s.File == "" {
			where = fmt.Sprintf("%x", elements(c, i, raw))
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprint(t.Name, " ", t.Type, " ", t.View.Shape, " ", where)))
	}
	for _, r := range c.Refused {
		lines = append(lines, r.Name+" refused: "+r.Why)
	}
	return strings.Join(lines, "\n")
}

// checkPlaces opens any bytes and requires a clean error, or tensors in the file, with as many bytes as their shapes have.
func checkPlaces(t testing.TB, raw []byte) {
	c, err := open(raw)
	if err != nil {
		hostile.CheckError(t, err, 1000)
		return
	}
	names := map[string]bool{}
	for _, x := range c.Tensors {
		s := c.Storages[x.Storage]
		outside := s.File == "" && !s.Inline && s.Bytes > int64(len(raw))-s.At
		wrong := s.Bytes != x.Type.Size(int64(x.View.Numel())) || s.Inline && int64(len(s.Data)) != s.Bytes
		if names[x.Name] || s.At < 0 || outside || wrong {
			t.Fatalf("%+v in %+v of a file of %d bytes", x, s, len(raw))
		}
		names[x.Name] = true
	}
}
