package notation

// Framework is how a framework takes layouts: semantics that its names do not say.
type Framework struct {
	Name     string
	Physical bool   // it takes the shape of the memory, not the logical one
	Unit     string // what its strides count
	Padding  string // what it keeps in the padding of blocks; empty where it has none
}

// frameworks in the order in which they are listed. Sources: PyTorch c10/core/TensorImpl.h; NumPy's ndarray;
// DML_BUFFER_TENSOR_DESC; oneDNN's dnnl_memory_desc_t and understanding_memory_formats.md; MegEngine's TensorLayout;
// TVM's data_layout.cc; XLA's shapes.md; TensorRT's Dims and TensorFormat; cuDNN's cudnnTensorDescriptor_t; CuTe's
// 01_layout.md.
var frameworks = []Framework{
	{Name: "PyTorch", Unit: "elements"},
	{Name: "NumPy", Physical: true, Unit: "bytes"},
	{Name: "DirectML", Unit: "elements", Padding: "outputs may be written anywhere in it"},
	{Name: "oneDNN", Unit: "elements", Padding: "zeros"},
	{Name: "MegEngine", Physical: true, Unit: "elements", Padding: "zeros, or the zero point of quint8"},
	{Name: "TVM", Physical: true, Padding: "zeros"},
	{Name: "XLA", Padding: "unspecified"},
	{Name: "TensorRT", Padding: "zeros"},
	{Name: "cuDNN", Unit: "elements"},
	{Name: "CuTe", Unit: "elements"},
	{Name: "TensorFlow", Physical: true},
	{Name: "MNN", Physical: true},
	{Name: "Ascend", Physical: true},
}

// Frameworks lists the frameworks of the catalogue.
func Frameworks() []Framework { return frameworks }
