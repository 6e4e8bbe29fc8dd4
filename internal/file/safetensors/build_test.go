package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

// file is a file with this header and n bytes of data.
func file(header string, n int) []byte {
	raw := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	raw = append(raw, header...)
	for i := range n {
		raw = append(raw, byte(i))
	}
	return raw
}

func open(raw []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(raw), int64(len(raw)), checkpoint.MaxLimit)
}

// contents is what another program knows of a container too.
type contents struct {
	Tensors  []described `json:"tensors"`
	Metadata [][2]string `json:"metadata"`
	Begin    int         `json:"begin"` // of the data
}

type described struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Hex   string `json:"hex"`
}

// describe describes an opened file.
func describe(c *checkpoint.Container, raw []byte) contents {
	d := contents{Tensors: []described{}, Metadata: [][2]string{}}
	for _, t := range c.Tensors {
		word, err := Word(t.Type)
		if err != nil {
			panic(err)
		}
		s := c.Storages[t.Storage]
		d.Tensors = append(d.Tensors, described{t.Name, word, t.View.Shape, hex.EncodeToString(raw[s.At : s.At+s.Bytes])})
	}
	for _, e := range c.Metadata {
		d.Metadata = append(d.Metadata, [2]string{e.Key, e.Value})
	}
	return d
}

func wantFault(t *testing.T, what string, err error, class fault.Class, text string) {
	t.Helper()
	if hostile.WantFault(t, what, err, class, text) {
		hostile.CheckError(t, err, 4000, fault.Usage)
	}
}
