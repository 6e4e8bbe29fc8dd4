package graph

import (
	"slices"
	"strings"
)

// Names of dims by rank, as PyTorch, ONNX and oneDNN have them.
var (
	imageDims  = map[int]string{4: "NCHW", 5: "NCDHW"}
	kernelDims = map[int]string{4: "OIHW", 5: "OIDHW"}
)

// ImageDims returns the names of the dims of images of a rank, NCHW; empty for ranks that images do not have.
func ImageDims(rank int) string { return imageDims[rank] }

// imageOperators are the beginnings of the names, in lower case, of operators whose operand is an image, in PyTorch, ONNX, oneDNN and XLA.
var imageOperators = []string{"conv", "batch_norm", "batchnorm", "_batch_norm", "native_batch_norm", "group_norm", "groupnorm", "instance_norm",
	"instancenorm", "max_pool", "maxpool", "avg_pool", "averagepool", "adaptive_", "globalaveragepool", "globalmaxpool", "lppool", "pool", "upsample",
	"resampling", "interpolate", "pixel_shuffle", "pixel_unshuffle", "depthtospace", "spacetodepth", "grid_sample", "lrn", "resize", "_convolution",
	"thnn_conv", "mkldnn_conv", "cudnn_conv", "miopen_conv", "cudnn_batch_norm", "miopen_batch_norm", "slow_conv", "quantized::conv", "deconv",
	"qlinearconv", "fusedconv"}

// isImageOperator reports whether an operator's first operand is an image.
func isImageOperator(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(imageOperators, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// maxPasses limits how often names go forth and back through a program; those of a network have arrived after two passes.
const maxPasses = 32

// nameDims names the dims of values: those of operators of images, and what views, copies and elementwise operators make of them, in either
// direction.
func (p *Program) nameDims() {
	for i := range p.Operators {
		op := &p.Operators[i]
		if isImageOperator(op.Name) {
			p.nameImages(op)
		}
	}
	named := true
	for pass := 0; named && pass < maxPasses; pass++ {
		named = false
		for i := range p.Operators {
			named = p.spreadDims(&p.Operators[i]) || named
		}
		for i := range slices.Backward(p.Operators) {
			named = p.spreadDims(&p.Operators[i]) || named
		}
	}
}

// nameImages names the dims of the operands and the result of an operator of images.
func (p *Program) nameImages(op *Operator) {
	if len(op.Inputs) == 0 || len(op.Outputs) == 0 {
		return
	}
	if op.Dims != nil {
		p.name(op.Inputs[0], op.Dims[0])
		p.name(op.Inputs[min(1, len(op.Inputs)-1)], op.Dims[1])
		p.name(op.Outputs[0], op.Dims[2])
		return
	}
	rank := p.rank(op.Inputs[0])
	p.name(op.Inputs[0], imageDims[rank])
	if op.Name == "convolution_backward" { // of a gradient, an image and a kernel, without a result that is their like
		for k, dims := range []string{imageDims[rank], kernelDims[rank]} {
			if 1+k < len(op.Inputs) {
				p.name(op.Inputs[1+k], dims)
			}
		}
		return
	}
	if !p.sameBatch(op) {
		return
	}
	p.name(op.Outputs[0], imageDims[p.rank(op.Outputs[0])])
	if len(op.Inputs) < 2 {
		return
	}
	kernel := kernelDims[rank]
	if strings.Contains(strings.ToLower(op.Name), "transpose") {
		kernel = strings.NewReplacer("OI", "IO").Replace(kernel)
	}
	if p.rank(op.Inputs[1]) == rank+1 { // oneDNN's groups are a dim
		kernel = "G" + kernel
	}
	p.name(op.Inputs[1], kernel)
}

// sameBatch reports whether an operator's first operand and its result have the same batch, as far as it is known: the result of a convolution
// with respect to its weights has not, and its other operand is no kernel.
func (p *Program) sameBatch(op *Operator) bool {
	from := p.Tensor(op.Inputs[0])
	to := p.Tensor(op.Outputs[0])
	if p.rank(op.Inputs[0]) == 0 || p.rank(op.Outputs[0]) == 0 {
		return true
	}
	return from.Layout.Dim(0).Size == to.Layout.Dim(0).Size
}

// rank returns the number of dims of a value; 0 if it is unknown.
func (p *Program) rank(id ID) int {
	t := p.Tensor(id)
	if t == nil {
		return 0
	}
	return t.Layout.Rank()
}

// name names the dims of a value that has none, and reports whether it did.
func (p *Program) name(id ID, dims string) bool {
	if id == NoValue || dims == "" {
		return false
	}
	if p.rank(id) != len(dims) || p.Values[id].Dims != "" {
		return false
	}
	p.Values[id].Dims = dims
	return true
}

// spreadDims names the dims of the operands and the result of an operator that has one with names, and keeps or permutes the dims. It reports
// whether it named one.
func (p *Program) spreadDims(op *Operator) bool {
	from, to, ok := op.Sides()
	if !ok {
		return false
	}
	switch op.Kind {
	case Elementwise, Joins:
		return p.spreadAlike(slices.Concat(op.Inputs, op.Outputs[:1]))
	case Follows:
		return p.spreadAlike([]ID{from, to})
	case Copies, Views:
		if op.Perm == nil {
			return p.sameShapes(op) && p.spreadAlike([]ID{from, to})
		}
		forward := p.name(to, permutedDims(p.Values[from].Dims, op.Perm))
		return p.name(from, permutedDims(p.Values[to].Dims, inverse(op.Perm))) || forward
	case Unknown, Computes, Multiplies:
	}
	return false
}

// spreadAlike gives values the names of the first one that has any, and reports whether it named one.
func (p *Program) spreadAlike(ids []ID) bool {
	at := slices.IndexFunc(ids, func(id ID) bool { return id != NoValue && p.Values[id].Dims != "" })
	if at < 0 {
		return false
	}
	named := false
	for _, id := range ids {
		named = p.name(id, p.Values[ids[at]].Dims) || named
	}
	return named
}

// permutedDims returns names of dims permuted: name d is that of dim perm[d]. It is empty if there are none.
func permutedDims(dims string, perm []int) string {
	if dims == "" || !isPermutation(perm, len(dims)) {
		return ""
	}
	permuted := make([]byte, len(dims))
	for d, from := range perm {
		permuted[d] = dims[from]
	}
	return string(permuted)
}

// sameShapes reports whether the first operand and the first output have the same shape.
func (p *Program) sameShapes(op *Operator) bool {
	a := p.Tensor(op.Inputs[0])
	b := p.Tensor(op.Outputs[0])
	if a == nil || b == nil {
		return false
	}
	return slices.Equal(a.Layout.Shape(), b.Layout.Shape())
}
