package source

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// pixelFormat is an image in YUV 4:2:0: a plane of luma, Y, then planes of chroma of half its height and width, all views of one storage.
// (Linux 6.17, userspace-api/media/v4l/pixfmt-yuv-planar.rst, where i420 is YUV420 and yv12 YVU420; Microsoft's page "10-bit and 16-bit YUV
// Video Formats"; FOURCC_I010 of libyuv's include/libyuv/video_common.h)
type pixelFormat struct {
	name, dtype string
	chroma      []string // planes in memory's order; two letters are a plane of pairs
	note        string
}

var pixelFormats = []pixelFormat{
	{"nv12", "uint8", []string{"UV"}, ""},
	{"nv21", "uint8", []string{"VU"}, ""},
	{"p010", "uint16", []string{"UV"}, "P010's 10 bits are the high ones: divide by 64"},
	{"i420", "uint8", []string{"U", "V"}, ""},
	{"yv12", "uint8", []string{"V", "U"}, ""},
	{"i010", "uint16", []string{"U", "V"}, ""},
}

func findPixelFormat(name string) int {
	return slices.IndexFunc(pixelFormats, func(f pixelFormat) bool { return strings.EqualFold(f.name, name) })
}

// IsPixelFormat reports whether a name is that of an image of several planes: nv12, i420.
func IsPixelFormat(name string) bool { return findPixelFormat(name) >= 0 }

// plane is a tensor of an image; offset and strides are in elements.
type plane struct {
	name, dims string
	tensor.Strided
	end int // of the plane's last row
}

// planes returns the planes of an image, or of frames, of shape H,W or N,H,W, and the elements of all. From row to row, luma and pairs have
// pitch elements, single planes of chroma pitch/2.
func (f *pixelFormat) planes(shape []int, pitch int) (all []plane, elems int) {
	last := len(shape) - 2
	h := shape[last]
	w := shape[last+1]
	frame := 0
	add := func(name, dims string, sizes, strides []int) {
		if last > 0 {
			dims = "N" + dims
			sizes = append([]int{shape[0]}, sizes...)
			strides = append([]int{0}, strides...)
		}
		end := frame + sizes[last]*strides[last]
		all = append(all, plane{name, dims, tensor.Strided{Shape: sizes, Strides: strides, Offset: frame}, end})
		frame = end
	}
	add("Y", "HW", []int{h, w}, []int{pitch, 1})
	for _, name := range f.chroma {
		if len(name) == 2 {
			add(name, "HWC", []int{h / 2, w / 2, 2}, []int{pitch, 2, 1})
		} else {
			add(name, "HW", []int{h / 2, w / 2}, []int{pitch / 2, 1})
		}
	}
	if last == 0 {
		return all, frame
	}
	for i := range all {
		all[i].Strides[0] = frame
		all[i].end += max(0, shape[0]-1) * frame
	}
	return all, shape[0] * frame
}

// openPlanes opens a file of images of several planes, o.Planes, as a set of a tensor per plane. The name may end in a plane's: x.yuv:Y.
func openPlanes(n name.Name, o Options) (s *Set, pattern string, err error) {
	f := pixelFormats[findPixelFormat(o.Planes)]
	d, all, bytes, err := f.read(o)
	if err != nil {
		return nil, "", err
	}
	path, pattern := splitPlane(n)
	if n.IsStdin() {
		return nil, "", fault.New(fault.Unsupported, "--from %s does not read standard input", f.name).WithHint("save it to a file")
	}
	b, err := input.Open(path, o.files())
	if err != nil {
		return nil, "", err
	}
	if have := b.Size() - o.Skip; have < bytes || have > bytes && !o.AllowTrailing {
		b.Close()
		return nil, "", fault.New(fault.Usage, "%s of %s needs %d bytes from byte %d, the file has %d", tensor.Tuple(o.Raw.Shape), f.name, bytes,
			o.Skip, b.Size()).WithHint("--pitch sets the bytes from row to row; --shape N,H,W has N frames")
	}
	s = f.set(path, b, d, all, bytes, o)
	s.open = func(i int, n name.Name, o Options) (*Tensor, error) {
		o.Dims = strings.Split(all[i].dims, "")
		x := s.Storages[0]
		x.Bytes = min(bytes, int64(all[i].end*d.ItemSize())) // what follows is other planes
		t := &Tensor{Source: n, Kind: string(s.Format), DType: d, file: b,
			Member: &Member{Archive: path, Name: all[i].name, Of: len(all), Packed: bytes, Size: bytes}}
		if f.note != "" {
			t.notes = []string{f.note}
		}
		return t, t.onStorage(s.Tensors[i], x, o)
	}
	return s, pattern, nil
}

// splitPlane splits x.yuv:Y into the file and the plane, unless there is a file of that name.
func splitPlane(n name.Name) (path name.Name, plane string) {
	path = n
	if n.Exists() {
		return n, ""
	}
	for file, member := range n.Splits() {
		if file.Exists() {
			path = file
			plane = member
		}
	}
	return path, plane
}

// DescribePlanes returns the planes of an image or of frames, o.Planes, without a file. Errors are fault.Usage.
func DescribePlanes(o Options) (*Set, error) {
	f := pixelFormats[findPixelFormat(o.Planes)]
	d, all, bytes, err := f.read(o)
	if err != nil {
		return nil, err
	}
	s := f.set(name.Parse(f.name), nil, d, all, bytes, o)
	s.open = s.openDescription
	return s, nil
}

// set returns the set of these planes, of elements of type d.
func (f *pixelFormat) set(path name.Name, b input.File, d dtype.Type, all []plane, bytes int64, o Options) *Set {
	s := newSet(path, checkpoint.Planes, b, o)
	s.Size = max(s.Size, bytes)
	s.Tensors = nil
	s.Storages[0] = checkpoint.Storage{ID: f.name, At: o.Skip, Bytes: bytes}
	for _, p := range all {
		s.Tensors = append(s.Tensors, checkpoint.Tensor{Name: p.name, Type: d, View: p.Strided})
	}
	s.index()
	return s
}

// read returns the type of the elements, the planes, and their bytes. Errors are fault.Usage.
func (f *pixelFormat) read(o Options) (d dtype.Type, all []plane, bytes int64, err error) {
	d, err = dtype.Parse(f.dtype)
	if err != nil {
		return d, nil, 0, err
	}
	if o.DType != nil && o.DType.String() != d.String() {
		return d, nil, 0, fault.New(fault.Usage, "elements of %s are %s, not %s", f.name, d, o.DType).WithHint("remove --dtype")
	}
	all, bytes, err = f.layout(o, d.ItemSize())
	return d, all, bytes, err
}

// layout returns the planes that --shape and --pitch describe, and their bytes. Errors are fault.Usage.
func (f *pixelFormat) layout(o Options, size int) (all []plane, bytes int64, err error) {
	y, err := o.Raw.ordered()
	if err != nil {
		return nil, 0, err
	}
	shape := y.Shape
	dims := "HW"
	if len(shape) == 3 {
		dims = "NHW"
	}
	named := cmp.Or(strings.Join(y.Dims, ""), dims)
	if len(shape) != len(dims) || named != dims || y.Offset != 0 {
		return nil, 0, fault.New(fault.Usage, "--from %s needs --shape H,W, or N,H,W for frames", f.name)
	}
	h := shape[len(shape)-2]
	w := shape[len(shape)-1]
	minPitch := int64(w) * int64(size)
	maxPitch := int64(math.MaxInt32)
	pitch := cmp.Or(o.Pitch, minPitch)
	row := int64(2 * size)
	oddSizes := h%2 != 0 || w%2 != 0
	badPitch := pitch%row != 0 || pitch < minPitch || pitch > maxPitch
	if oddSizes || badPitch {
		return nil, 0, fault.New(fault.Usage, "%s of %d x %d, pitch %d: want even sizes, and a multiple of %d bytes from %d to %d", f.name, h, w, pitch,
			row, minPitch, maxPitch)
	}
	if _, err := tensor.Numel(append([]int{2, int(pitch)}, shape[:len(shape)-1]...)); err != nil {
		return nil, 0, err
	}
	all, elems := f.planes(shape, int(pitch)/size)
	return all, int64(elems) * int64(size), nil
}
