package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/oracle"
)

// npzArray is an array in an archive that NumPy wrote, and its conversion.
type npzArray struct {
	Path   string  `json:"path"`
	Key    string  `json:"key"`
	Stored bool    `json:"stored"`
	Out    string  `json:"out"`
	Mmap   *string `json:"mmap"`
}

// TestNpzAgainstNumPy converts every array of archives that NumPy wrote, stored and compressed, of all kinds of dtypes, ranks and orders.
// NumPy compares the results, and the arrays that inspect's np.memmap calls map, with its own.
func TestNpzAgainstNumPy(t *testing.T) {
	folder := t.TempDir()
	numpy := oracle.NumPy(t, "numpy_npz.py", folder)
	var arrays []npzArray
	for line := fixture.Must(numpy.Line()); line != ""; line = fixture.Must(numpy.Line()) {
		var a npzArray
		cli.Must(json.Unmarshal([]byte(line), &a))
		arrays = append(arrays, a)
	}
	compared := 0
	for i, a := range arrays {
		a.Out = filepath.Join(folder, strconv.Itoa(i)+".npy")
		var said struct {
			Container struct{ Mmap *string }
		}
		cli.Must(json.Unmarshal([]byte(tlayout(t, "inspect", "--json", a.Path+":"+a.Key)), &said))
		tlayout(t, "convert", a.Path+":"+a.Key, "--to", "c", "-o", a.Out)
		if a.Mmap = said.Container.Mmap; a.Mmap != nil {
			compared++
		}
		compared++
		cli.Must(numpy.Ask(a))
	}
	numpy.Close()
	last := lastLine(t, numpy)
	if last != strconv.Itoa(compared) || len(arrays) < 130 || compared < 200 {
		t.Errorf("NumPy compared %s arrays of %d", last, compared)
	}
}
