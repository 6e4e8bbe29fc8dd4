package framework

// ndTypes are those of cudnnSetTensorNdDescriptor.
const ndTypes = "float32 float64 float16 bfloat16 int8 int32 uint8"

// remarkCuDNN says that cudnnSetTensorNdDescriptor, older than the graph API's descriptors, refuses the tensor.
func remarkCuDNN(_ *Framework, o Offer) []clause {
	s, plain := o.Layout.Strided()
	if !plain {
		return nil
	}
	acceptsShape := s.Rank() >= 2 && !s.Empty()
	if acceptsShape && len(o.Layout.BroadcastDims()) == 0 && acceptsType(ndTypes, o.DType) {
		return nil
	}
	return []clause{{full: "by the graph API; cudnnSetTensorNdDescriptor refuses it"}}
}
