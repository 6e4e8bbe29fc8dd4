package main

import (
	"go/types"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// begin starts a kernel: func name(b *argument). The argument is a struct of word-sized fields, declared in the kernel package; only its
// name is used here, so that the generator does not depend on its output.
func begin(c *build.Context, name, argument, doc string) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	named := types.NewNamed(types.NewTypeName(0, nil, argument, nil), types.NewStruct(nil, nil), nil)
	b := types.NewVar(0, nil, "b", types.NewPointer(named))
	c.Signature(gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(b), nil, false)))
	c.Doc(name + " " + doc)
	c.Pragma("noescape")
}

// words loads the argument's fields into registers, in order.
func words(c *build.Context, fields ...*reg.Register) {
	b := c.Load(c.Param("b"), c.GP64())
	for i, r := range fields {
		v := c.GP64()
		c.MOVQ(Mem{Base: b, Disp: 8 * i}, v)
		*r = v
	}
}

// end returns from a kernel.
func end(c *build.Context) {
	c.VZEROUPPER()
	c.RET()
}

// bothStores makes two versions of what writes: through the caches, and past them if the field is not 0. part distinguishes its labels.
func bothStores(c *build.Context, field Mem, part string, write func(stream bool)) {
	c.CMPQ(field, Imm(0))
	c.JNE(LabelRef("stream" + part))
	write(false)
	c.JMP(LabelRef("stored" + part))
	c.Label("stream" + part)
	write(true)
	c.Label("stored" + part)
}
