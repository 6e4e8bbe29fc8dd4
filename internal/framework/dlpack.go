package framework

// DLPack's struct describes any strides, and each framework that reads it accepts some of them: these are the ones that were run, on a
// CPU, over memory of every layout, type and alignment (testdata/dlpack.py).

// DLPack, and the frameworks that read it.
var (
	DLPack = &Framework{Name: "DLPack", Order: ByStrides, Blocks: ByAxes, Unit: Elements, Stored: true, remark: remarkDLPack, listed: dlPackNames,
		Types: "bool " + integers + plainFloats + complexes + "complex32 int4 uint4 int2 uint2 float4_e2m1fn float4_e2m1fn_x2 " + float6 + allFloat8,
		Source: "DLTensor and DLDataTypeCode of dlpack.h 1.3: strides are signed, and must not be NULL since 1.2; the first element should " +
			"be aligned to 256 bytes, which PyTorch and NumPy do not keep; of types below a byte, those that ONNX Runtime reads; float4_e2m1fn_x2, which PyTorch exports and reads",
		Read: "ATen/dlpack.h of PyTorch 2.15.0, run"}
	JAX = &Framework{Name: "JAX", Order: ByDense, Blocks: ByAxes, Unit: Elements, Stored: true, remark: remarkAligned, listed: jaxNames,
		Nameless: "it accepts dense strides only", Message: "Only DLPack tensors with trivial (compact) striding are supported",
		Align: 64, Unaligned: "it is copied, copy=False refuses",
		Types:  "bool " + integers + plainFloats + complexes + allFloat8,
		Source: "jax.dlpack.from_dlpack; jax.numpy.asarray copies always",
		Read:   "0.12.0.1, run on a CPU"}
	TensorFlow = &Framework{Name: "TensorFlow", Order: ByShape, Blocks: ByAxes, Sizes: OfMemory, Stored: true, remark: remarkAligned,
		Nameless: noStrides, Message: "Invalid strides array from DLPack", Align: 64, Unaligned: `operations abort ("Check failed: IsAligned()")`,
		Types: "bool " + integers + plainFloats + complexes,
		Source: "data_format, HWIO of filters; tf.experimental.dlpack.from_dlpack, which refuses the float8 types of DataType in " +
			"tensorflow/core/framework/types.proto; tf.constant and tf.convert_to_tensor copy",
		Read:  "2.21.0, run on a CPU",
		names: tensorFlowNames}
	ONNXRuntime = &Framework{Name: "ONNX Runtime", Order: ByShape, Blocks: ByAxes, Stored: true, remark: remarkStored, listed: onnxRuntimeNames,
		Nameless: noStrides, Message: "ORT only supports contiguous tensor for now",
		Types: "bool " + integers + plainFloats + "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu int4 uint4 int2 uint2 float4_e2m1fn",
		Source: "OrtValue.from_dlpack; ortvalue_from_numpy, which copies other strides, refuses bfloat16 and float8, and reads big-endian " +
			"numbers as little-endian",
		Read: "1.32.0, run on a CPU"}
)

// remarkDLPack returns what readers refuse of what the struct describes.
func remarkDLPack(_ *Framework, o Offer) []clause {
	all := []clause{o.storedRemark()}
	if s, plain := o.asStored().Layout.Strided(); plain && s.Backwards() {
		all = append(all, uncut("NumPy alone reads negative strides"))
	}
	if foreign(o.DType) {
		all = append(all, clause{full: "NumPy neither exports nor reads " + o.DType.String()})
	}
	return all
}

// remarkAligned returns what the framework needs of the storage's address, which is not known.
func remarkAligned(f *Framework, o Offer) []clause {
	all := []clause{{full: "if its storage is 64-byte aligned: PyTorch's is, NumPy's need not be"}}
	if f.Stored {
		return append([]clause{o.storedRemark()}, all...)
	}
	return all
}
