package printed

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// readClass reads a value of a class with fields, or a dictionary: View(shape=(2, 3), …), Layout { shape: [2, 3], … }, {'shape': (2, 3), …}.
func readClass(c *cursor) (*reading, error) {
	class := c.word()
	body, ok := c.bracket("({", class == "" || c.peek().Open == '{')
	if !ok {
		return nil, nil
	}
	if strings.Contains(body.Text, "major_to_minor=") { // JAX's
		return readNamed(class + body.Text)
	}
	if class == "" && body.Open == '(' && !strings.Contains(body.Text, "Size(") {
		return nil, nil
	}
	done, err := readSpecial(class, body)
	if done != nil || err != nil {
		return done, err
	}
	wrapped, n, err := read(body.Inner)
	if wrapped != nil && n == len(body.Inner) && class != "" { // ShapedArray(float32[2,3])
		return wrapped, err
	}
	r, err := ofFields(body.Inner, class == "")
	if r != nil && class == "FlexibleLayout" {
		r.notes = append(r.notes, "FlexibleLayout: Inductor may still change the strides")
	}
	return r, err
}

// readSpecial reads classes whose fields have no names or that lack sizes: ONNX' tensor(float), TensorRT's Half(1:8), Layout((4, 8), (1, 4)).
func readSpecial(class string, body scan.Term) (*reading, error) {
	switch class {
	case "tensor", "seq", "optional":
		if body.Open != '(' || strings.ContainsAny(strings.TrimRight(body.Content(), ")"), ".,= ") {
			return nil, nil
		}
		word := strings.Trim(body.Content()[strings.LastIndexByte(body.Content(), '(')+1:], ")")
		d, err := dtype.ParsePrinted(word)
		if err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Usage, "it has no sizes").WithHint("--shape 1,3,224,224 --dtype %s", d)
	case "Float", "Half", "BFloat16", "Int8", "Int32", "Int64", "UInt8", "FP8", "Bool":
		if strings.Trim(body.Content(), "0123456789:,") != "" {
			return nil, nil
		}
		return nil, fault.New(fault.Usage, "strides of TensorRT's log, in vectors of channels where one has a colon, without sizes").
			WithHint("give sizes, and --strides or the format: --shape 1,64,56,56 --from kCHW4")
	case "FixedLayout", "FlexibleLayout":
		if strings.Contains(body.Text, "stride=None") || !strings.Contains(body.Text, "stride=[") {
			return nil, unknown()
		}
	case "Layout":
		parts := scan.Split(body.Inner)
		if len(parts) == 2 && isTuple(parts[0]) && isTuple(parts[1]) {
			return readNamed(tupleOf(parts[0]) + ":" + tupleOf(parts[1]))
		}
	}
	return nil, nil
}

// isTuple reports whether terms are a tuple, or one of Mojo: IntTuple(4, 8).
func isTuple(terms []scan.Term) bool {
	last := terms[len(terms)-1]
	return last.Open == '(' && (len(terms) == 1 || len(terms) == 2 && terms[0].Text == "IntTuple")
}

func tupleOf(terms []scan.Term) string { return terms[len(terms)-1].Text }
