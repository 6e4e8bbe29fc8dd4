package trace

import (
	"testing"
)

// TestSessions: a session with prompts, and a script with imports and prints, have the last value that Python shows.
func TestSessions(t *testing.T) {
	for text, want := range map[string]string{
		">>> x.t().stride()":                            "x.t().stride() is (1, 3)",
		">>> y = x.t()\n>>> y.stride()\n(1, 3)":         "y.stride() is (1, 3)",
		">>> y = x.view(\n...     3, 2)\n>>> y.shape\n": "y.shape is (3, 2)",
		"In [1]: import torch\n\nIn [2]: y = x.view(\n   ...:     6)\n\nIn [3]: y.shape\nOut[3]: torch.Size([6])": "y.shape is (6,)",
		"import torch\nfrom torch import nn; y = x.t()\nprint(y.shape)\nprint(y.stride())":                        "y.stride() is (1, 3)",
		"print('shape', x.shape, x.t().stride(), sep=' ')":                                                        "x.shape, x.t().stride() is ((2, 3), (1, 3))",
		"print(x.t()); x.stride()":                          "x.stride() is (3, 1)",
		"print(f'{x.shape}'); x.t().shape":                  "x.t().shape is (3, 2)",
		">>> x\ntensor([[0., 0., 0.]])\n>>> x.t().stride()": "x.t().stride() is (1, 3)",
		">>> x.t()\n>>> x.stride()":                         "x.stride() is (3, 1)",
		">>> x.split(1)\n>>> x.stride()":                    "x.stride() is (3, 1)",
		">>> x.t_()\n>>> x.stride()":                        "x.stride() is (1, 3)",
		"x[...].shape":                                      "x[...].shape is (2, 3)",
	} {
		f, err := fromMatrix(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.Asked + " is " + f.Value; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	for _, text := range []string{"print()", "print('x')", "print(x.shape) y", "print(x)", "torch.t_(x)", "import torch", ">>> import torch", ">>> for i in x:\n...     pass"} {
		if f, err := fromMatrix(t, text); err == nil {
			t.Errorf("%s: %+v, want an error", text, f)
		}
	}
}

// TestScripts: a value that nothing takes changes no variable, and a change in place changes each name of the tensor. The values are those of
// PyTorch 2.15 and NumPy 2.4.
func TestScripts(t *testing.T) {
	for text, want := range map[string]string{
		"x = torch.zeros(3,4)\nx.unsqueeze(0)\nprint(x.shape)":         "(3, 4)",
		"x = torch.zeros(3,4)\nx.repeat(2,1)\nx.shape":                 "(3, 4)",
		"y = x.t()\ny.contiguous()\nprint(y.is_contiguous())":          "False",
		"x = torch.rand(5,3,4)\ny = x.permute(1,0,2)\nx":               "a tensor, (5, 3, 4) with strides (12, 4, 1)",
		"x = torch.zeros(3,4)\nx.add(1).t()\nx.t_()\nprint(x.shape)":   "(4, 3)",
		"x = torch.zeros(2,3)\ny = x\ny.t_()\nprint(x.stride())":       "(1, 3)",
		"x = torch.zeros(2,3)\ny = x.zero_()\ny.t_()\nx.shape":         "(3, 2)",
		"x = torch.zeros(2,3)\ny = x\ny += 1\ny.t_()\nx.shape":         "(3, 2)",
		"x = torch.zeros(2,3)\ny = x + 1\ny.t_()\nx.shape":             "(2, 3)",
		">>> x = torch.zeros(2,3)\n>>> x.mul_(2).t_()\n>>> x.shape":    "(3, 2)",
		">>> x = torch.zeros(2,3)\n>>> x.t()\n>>> _.stride()":          "(1, 3)",
		">>> x = torch.zeros(2,3)\n>>> y = [x, x.t()]\n>>> y[1].shape": "(3, 2)",
		">>> a = b = torch.zeros(2,3)\n>>> a.t_()\n>>> b.shape":        "(3, 2)",
		"h = w = 4; y = torch.zeros(h, w, 2); y.shape":                 "(4, 4, 2)",
		"print('shape:', x.shape, sep='\\n')":                          "(2, 3)",
		"y = x.view(6 // 2, 2); y.shape":                               "(3, 2)",
		"torch.manual_seed(0)\ny = torch.zeros(2); print(y.dtype)":     "float32",
		"print(*x.shape)": "(2, 3)", "print('-' * 20)\nx.shape": "(2, 3)",
		"y = x.t() \\\n .contiguous()\nassert y.is_contiguous(), 'y'\ny.shape": "(3, 2)",
	} {
		f, err := fromMatrix(t, text)
		if err != nil || f.Value != want {
			t.Errorf("%s: %q %v %v, want %s", text, f.Value, err, f.Stop, want)
		}
	}
	f, err := fromMatrix(t, "y = x.t()\ny.contiguous()\ny.view(6)")
	if err != nil || f.Refusal == nil || !f.Other {
		t.Errorf("the refused view is not of the copy: %+v %v", f, err)
	}
}

// TestAssignedShape: a.shape = (2, 3) changes the array itself. The values and errors are those of NumPy 2.4.
func TestAssignedShape(t *testing.T) {
	for text, want := range map[string]string{
		"a = np.arange(6)\na.shape = 2, 3\na.strides":                      "(24, 8)",
		"a = np.arange(6)\nb = a\nb.shape = (2,3)\na.shape":                "(2, 3)",
		"a = np.arange(6)\na.shape = -1\na.strides":                        "(8,)",
		"a = np.zeros((2,3))\nnp.transpose(a)\na.shape":                    "(2, 3)",
		"a = np.random.rand(2, 3).astype(np.float32)\na.T.strides":         "(4, 12)",
		"x = np.random.randint(10, size=(2,3)); x.T.strides":               "(8, 24)",
		"a = np.zeros((2,3)).T; a.astype('float32').strides":               "(4, 12)",
		"a = np.zeros((2,3)).T; a.astype('float32', order='C').strides":    "(8, 4)",
		"a = np.zeros((2,3))[:, ::2]; a.astype(float, copy=False).strides": "(24, 16)",
		"a = np.zeros((2,3))[:, ::2]; a.astype(float).strides":             "(16, 8)",
		"a = np.zeros((2,3)).T\na.shape = 6":                               "refused",
		"a = np.zeros((2,3))\na.dtype = np.float32\na.shape":               "stop",
	} {
		statements, err := ParseAll([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		s := start([]int{2, 3}, nil, 6)
		s.Rules = NumPy
		f, err := s.FollowAll(statements)
		got := f.Value
		switch {
		case err != nil:
			got = err.Error()
		case f.Refusal != nil:
			got = "refused"
		case f.Stop != nil:
			got = "stop"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestLoads: the first variable with an unknown value is the tensor, unless a tensor is read for it.
func TestLoads(t *testing.T) {
	for text, want := range map[string]string{
		"img = cv2.imread('a.png'); img.t().stride()":                             "img = cv2.imread('a.png'): (1, 3)",
		"w = torch.load('m.pt')['w']; v = w.t(); v.stride()":                      "w = torch.load('m.pt')['w']: (1, 3)",
		"img = load(path); x = torch.from_numpy(img).t(); x.stride()":             "img = load(path): (1, 3)",
		"torch.from_numpy(img).shape":                                             ": (2, 3)",
		"x = torch.zeros(4); y = x.cos().sin(); x.shape; z = load(path); z.shape": "stop load",
		"y = torch.zeros(4); z = load(path); z.shape":                             "stop load",
		"out = model(x); out.shape":                                               "stop model",
		"a, b = load(path); a.shape":                                              "stop load",
		"self.x = load(path); self.x.shape":                                       "stop load",
		"torch.from_numpy(x.shape)":                                               "stop from_numpy",
	} {
		f, err := fromMatrix(t, text)
		got := f.Loaded + ": " + f.Value
		if f.Stop != nil {
			got = "stop " + f.Stop.Name
		}
		if err != nil || got != want {
			t.Errorf("%s\ngot  %s %v\nwant %s", text, got, err, want)
		}
	}
}

// fromMatrix follows a text from a tensor of shape (2, 3).
func fromMatrix(t *testing.T, text string) (Followed, error) {
	t.Helper()
	statements, err := ParseAll([]string{text})
	if err != nil {
		return Followed{}, err
	}
	return start([]int{2, 3}, []int{3, 1}, 6).FollowAll(statements)
}
