package convertcmd

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// container is an output format: what it holds, how its parts are placed, and how they are read again. Nothing else compares formats; an output
// whose name is derived may become an npzFile.
type container struct {
	format  checkpoint.Format // as reports name it
	endings []string          // of output names; nil for a folder
	label   string            // what the endings do not say, for the list of them

	split     bool   // is a folder, with a file for each tensor
	several   bool   // holds several tensors, by their names
	axes      bool   // holds arrays with axes of their own, whose order a name, a record or flags define; others hold a tensor's dims
	joins     bool   // an array's shape may join axes that no shape can count apart: the values in a byte, the blocks of a joined order
	shapes    bool   // records shapes
	records   bool   // records layouts
	views     bool   // tensors are views of storages: with strides, and an alignment of each storage
	unnamed   bool   // a tensor may have no name
	fortran   bool   // holds Fortran order
	bigEndian bool   // holds big-endian numbers
	aligns    bool   // has an alignment that can be chosen
	metadata  bool   // has texts, __metadata__
	permuted  string // the note on a tensor whose axes are stored in another order than its dims
	// names reports whether the format has a name for a packed type; nil if it has for none.
	names func(dtype.Type) bool

	place    func(*job) (*placement, error)
	readBack reading
}

// reading is how a draft is read again to verify it.
type reading int

const (
	asFile    reading = iota // one .npy file per tensor, which npyio reads too
	asMember                 // members of an archive, which npyio reads too
	asBytes                  // raw bytes, with the flags that the report gives
	asTensors                // tensors that have only a shape
	asViews                  // tensors that have strides
)

// The output formats.
//
// To add one: a row here and in containers below; the function that places its parts, in place.go; a value of reading and its branch in verify.go,
// if none reads it back; the hints of scope.go and settings.go that list formats.
var (
	npyFile = &container{
		format: checkpoint.NPY, endings: []string{".npy"}, axes: true, joins: true, shapes: true, fortran: true, bigEndian: true,
		place: (*job).placeFile, readBack: asFile,
	}
	npzFile = &container{
		format: checkpoint.NPZ, endings: []string{".npz"}, several: true, axes: true, shapes: true, records: true, fortran: true, bigEndian: true,
		place: (*job).placeArchive, readBack: asMember,
	}
	safetensorsFile = &container{
		format: checkpoint.Safetensors, endings: []string{".safetensors"}, several: true, joins: true, shapes: true, aligns: true, metadata: true,
		permuted: "safetensors does not record axis order", names: hasWord, place: (*job).placeSafetensors, readBack: asTensors,
	}
	torchFile = &container{
		format: checkpoint.Torch, endings: []string{".pt", ".pth", ".ckpt"}, label: "PyTorch", several: true, shapes: true, views: true, unnamed: true, fortran: true,
		aligns: true, place: (*job).placeTorch, readBack: asViews,
	}
	npyFolder = &container{
		format: checkpoint.Folder, split: true, several: true, joins: true, shapes: true, fortran: true, bigEndian: true,
		place: (*job).placeFolder, readBack: asFile,
	}
	rawFile = &container{
		format: checkpoint.Raw, endings: []string{".raw", ".bin"}, label: "raw bytes", axes: true, fortran: true, bigEndian: true,
		place: (*job).placeRaw, readBack: asBytes,
	}
)

// containers are the formats that the ending of a name selects.
var containers = []*container{npyFile, npzFile, safetensorsFile, torchFile, rawFile}

func hasWord(d dtype.Type) bool {
	_, err := safetensors.Word(d)
	return err == nil
}

// containerOf returns the format that an output's name selects; ok is false for an unknown ending.
func containerOf(n name.Name) (c *container, ok bool) {
	for _, c := range containers {
		if slices.Contains(c.endings, n.Ending()) {
			return c, true
		}
	}
	return npyFile, false
}

// checkEnding refuses an output whose extension is not a supported one.
func checkEnding(n name.Name) error {
	if _, ok := containerOf(n); ok || n.IsZero() {
		return nil
	}
	if n.IsStdin() || n.EndsInSlash() {
		return nil
	}
	if info, err := n.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil // a device
	}
	if _, array, _ := n.Resolve(); array != "" {
		return nil // an array of an archive is refused with the output's name
	}
	return cli.UnknownEnding(n, "%s", listEndings())
}

// listEndings lists the endings of all containers, those without a shape last: ".npy, .npz, .pt, .pth (PyTorch), or .raw or .bin (raw bytes)".
func listEndings() string {
	var withShape []string
	for _, c := range containers {
		if !c.shapes {
			continue
		}
		endings := strings.Join(c.endings, ", ")
		if c.label != "" {
			endings += " (" + c.label + ")"
		}
		withShape = append(withShape, endings)
	}
	return strings.Join(withShape, ", ") + ", or " + text.Or(rawFile.endings) + " (" + rawFile.label + ")"
}
