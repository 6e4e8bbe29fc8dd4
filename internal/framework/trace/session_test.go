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
	for _, text := range []string{"print()", "print('x')", "print(x.shape) y", "print(x)", "import torch", ">>> import torch", ">>> for i in x:\n...     pass"} {
		if f, err := fromMatrix(t, text); err == nil {
			t.Errorf("%s: %+v, want an error", text, f)
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
