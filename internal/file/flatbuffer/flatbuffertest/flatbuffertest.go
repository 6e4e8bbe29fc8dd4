// Package flatbuffertest damages files of FlatBuffers.
package flatbuffertest

import (
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

// Damage opens a file cut anywhere, and with each bit flipped, as CheckPlaces does.
func Damage(t testing.TB, whole []byte, open func([]byte) (*checkpoint.Container, error)) {
	t.Helper()
	for n := range whole {
		CheckPlaces(t, whole[:n], open)
	}
	hostile.Flip(whole, func(raw []byte) { CheckPlaces(t, raw, open) })
}

// CheckPlaces opens bytes: a clean error, or tensors in their storages, which are in the file.
func CheckPlaces(t testing.TB, raw []byte, open func([]byte) (*checkpoint.Container, error)) {
	t.Helper()
	c, err := open(raw)
	if err != nil {
		hostile.CheckError(t, err, 1000)
		return
	}
	for _, x := range c.Tensors {
		s := c.Storages[x.Storage]
		if _, to := x.Extent(); to > s.Bytes || s.At < 0 || s.At+s.Bytes > int64(len(raw)) {
			t.Errorf("%+v of %+v, in a file of %d bytes", x, s, len(raw))
		}
	}
}
