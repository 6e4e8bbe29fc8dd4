package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
)

// acceptance is whether a framework takes the tensor as it lies, without a copy.
type acceptance struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"` // the reason of a no, or what to know of a yes
}

func takes(format string, args ...any) acceptance {
	return acceptance{true, fmt.Sprintf(format, args...)}
}

func refuses(format string, args ...any) acceptance {
	return acceptance{false, fmt.Sprintf(format, args...)}
}

// offer is a tensor that is shown to a framework; without blocks it has one stride a dim.
type offer struct {
	*inspectReport
	s     tensor.Strided
	plain bool
	dtype tensor.DType
}

// consumers are asked whether they take a tensor: by their names in JSON, and as they call themselves.
var consumers = []struct {
	key, name string
	ask       func(offer) acceptance
}{
	{"pytorch", "PyTorch", offer.pytorch},
	{"numpy", "NumPy", offer.numpy},
	{"directml", "DirectML", offer.directml},
	{"onednn", "oneDNN", offer.onednn},
	{"cudnn", "cuDNN", offer.cudnn},
	{"tensorrt", "TensorRT", offer.tensorrt},
	{"megengine", "MegEngine", offer.megengine},
	{"safetensors", "safetensors", offer.safetensors},
}

func (r *inspectReport) offerTo(l tensor.Layout, d tensor.DType) {
	s, plain := l.Strided()
	r.AcceptedBy = map[string]acceptance{}
	for _, c := range consumers {
		r.AcceptedBy[c.key] = offer{r, s, plain, d}.to(c.key, c.ask)
	}
}

// to asks one of the consumers. All but NumPy take numbers in the machine's own byte order only. Which numbers, that is
// known of PyTorch, DirectML and safetensors; the others are asked about the layout.
func (o offer) to(key string, ask func(offer) acceptance) acceptance {
	switch {
	case key == "numpy":
	case !o.numbers():
		return refuses("no such type as %s", shorten(o.DType))
	case o.dtype.Order() == tensor.Big:
		return refuses("big-endian; the machine's own byte order is wanted, little-endian on x86 and ARM")
	}
	return ask(o)
}

// numbers reports whether the items are numbers, as opposed to strings, times, records and raw bytes.
func (o offer) numbers() bool {
	return slices.Contains([]tensor.Kind{tensor.Bool, tensor.Int, tensor.Uint, tensor.Float, tensor.Complex}, o.dtype.Kind())
}

// foreign reports whether NumPy has no name for the type, and keeps raw bytes.
func (o offer) foreign() bool { return o.numbers() && strings.Contains(o.dtype.Typestr(), "V") }

const noBlocks = "one stride a dim cannot say its blocks"

// pytorch: a view has no negative strides, and from_numpy takes the native byte order only; strides of 0 and padding
// are welcome.
func (o offer) pytorch() acceptance {
	wide := o.dtype.ItemSize() == 16 && o.dtype.Kind() == tensor.Float || o.dtype.ItemSize() == 32
	switch {
	case !o.plain:
		return refuses(noBlocks)
	case wide || o.foreign() && o.DType != "bfloat16":
		return refuses("from_numpy takes no %s", shorten(o.DType))
	case o.s.Negative():
		return refuses("it has no negative strides; x.copy() is %s", formatBytes(int64(o.NBytes)))
	case o.dtype.Kind() == tensor.Uint && o.dtype.ItemSize() > 1:
		return takes("PyTorch 2.3 or newer: 1.13 has no %s", o.DType)
	case o.foreign():
		return takes("from_numpy(x.view('int16')).view(torch.bfloat16)")
	}
	return takes("")
}

// numpy takes any strides; what it writes to a file has C or Fortran order.
func (o offer) numpy() acceptance {
	switch {
	case !o.plain && o.FileShape != nil:
		return takes("as an array of shape %s", tensor.Tuple(o.FileShape))
	case !o.plain:
		return takes("as an array of its physical axes")
	case o.foreign():
		return takes("as %s with ml_dtypes, as raw bytes (V%d) without", o.DType, o.ItemSize)
	case o.s.SavedFortran():
		return takes("np.save writes fortran_order: True")
	case !o.s.CContiguous().OK:
		return takes("np.save writes a row-major copy of %s: the layout is lost", formatBytes(int64(o.NBytes)))
	}
	return takes("")
}

// directml: DML_BUFFER_TENSOR_DESC has unsigned strides, sizes of at least 1 and at most 8 dims.
func (o offer) directml() acceptance {
	bits := tensor.DirectMLBits(o.dtype)
	switch _, fits := o.s.DirectMLBytes(8); {
	case !o.plain:
		return refuses(noBlocks)
	case bits == 0:
		return refuses("it has no type %s", shorten(o.DType))
	case o.s.Negative():
		return refuses("its strides are unsigned")
	case o.Numel == 0:
		return refuses("sizes are at least 1")
	case o.s.Rank() < 1 || o.s.Rank() > 8:
		return refuses("it takes 1 to 8 dims")
	case !fits:
		return refuses("it counts at most %d elements", uint32(tensor.DirectMLLimit))
	}
	return takes("")
}

// onednn has tags for blocks; plain strides must nest.
func (o offer) onednn() acceptance {
	switch {
	case len(o.Names.OneDNN) > 0:
		return takes("")
	case !o.plain:
		return refuses("no tag says this order of blocks")
	case o.s.Negative():
		return refuses("it has no negative strides")
	case o.s.Rank() > 12:
		return refuses("it takes at most 12 dims")
	case !o.s.OneDNNAccepts():
		return refuses("a stride is less than what the dims inside it take")
	}
	return takes("")
}

func (o offer) cudnn() acceptance {
	switch {
	case o.Names.CuDNN != nil:
		return takes("")
	case !o.plain:
		return refuses(noBlocks)
	case o.s.Rank() < 3 || o.s.Rank() > 8:
		return refuses("it takes 3 to 8 dims")
	case o.s.Negative():
		return refuses("it has no negative strides")
	case o.Overlapping != string(tensor.No):
		return takes("as an input only: outputs must not overlap")
	}
	return takes("")
}

// tensorrt takes the formats that it has names for.
func (o offer) tensorrt() acceptance {
	if len(o.Names.TensorRT) == 0 && !(o.plain && o.s.CContiguous().OK) {
		return refuses("none of its formats lies so")
	}
	return takes("")
}

func (o offer) megengine() acceptance {
	switch {
	case !o.plain && len(o.Names.MegEngine) == 0:
		return refuses("it has no format of these blocks")
	case o.plain && o.s.Rank() > 7:
		return refuses("it takes at most 7 dims")
	}
	return takes("")
}

// safetensors stores sizes and no strides: row-major, little-endian.
func (o offer) safetensors() acceptance {
	switch {
	case !o.plain:
		return refuses("it stores no blocks, only the plain array of the physical axes")
	case !o.s.CContiguous().OK:
		return refuses(`it stores no strides ("You are trying to save a non contiguous tensor"); .contiguous() first, `+
			"a copy of %s, which comes back row-major", formatBytes(int64(o.NBytes)))
	}
	return takes("")
}

// acceptedTable has one row for all who give the same answer.
func (r *inspectReport) acceptedTable() render.Table {
	t := render.Table{Title: "Who takes it as it lies?", Header: []string{"answer", "who"}}
	who := map[acceptance][]string{}
	var answers []acceptance
	for _, c := range consumers {
		a := r.AcceptedBy[c.key]
		if who[a] == nil {
			answers = append(answers, a)
		}
		who[a] = append(who[a], c.name)
	}
	rank := func(a acceptance) int {
		switch {
		case a.OK && a.Why == "":
			return 0
		case a.OK:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(answers, func(a, b acceptance) int { return rank(a) - rank(b) })
	for _, a := range answers {
		t.Add(yesNo(a.OK), strings.TrimSuffix(strings.Join(who[a], ", ")+": "+a.Why, ": "))
	}
	return t
}
