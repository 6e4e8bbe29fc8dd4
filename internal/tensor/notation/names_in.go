package notation

import "slices"

// NamesIn are the names of the order in one of the frameworks; nil where it has none.
func (f Format) NamesIn(framework string) []string {
	s := f.Spell()
	switch framework {
	case PyTorch:
		return whole(s.PyTorch)
	case OneDNN:
		return s.OneDNN
	case MegEngine:
		return s.MegEngine
	case TVM:
		return whole(s.TVM)
	case XLA:
		return whole(s.XLA)
	case TensorRT:
		return s.TensorRT
	case CuDNN:
		return whole(s.CuDNN)
	case TensorFlow:
		return f.only("NCHW", "NHWC", "NCDHW", "NDHWC", "HWIO")
	case MNN:
		if len(f.only("CNHW4c")) > 0 {
			return []string{"C4NHW4"}
		}
	}
	return nil
}

// only is the canonical name, if it is one of these.
func (f Format) only(names ...string) []string {
	if short, _ := f.Short(); slices.Contains(names, short) {
		return []string{short}
	}
	return nil
}

// whole is a list of one name, or of none where there is none.
func whole(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
