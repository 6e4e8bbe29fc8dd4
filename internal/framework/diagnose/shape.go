package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Messages about axes in another order than expected.
var shapeRules = []rule{
	{
		Message: Message{ID: "onnxruntime-dimensions", Framework: "ONNX Runtime",
			Text: "INVALID_ARGUMENT : Got invalid dimensions for input: images for the following indices\n index: 1 Got: 224 Expected: 3\n" +
				" index: 3 Got: 3 Expected: 224\n Please fix either the inputs/outputs or the model.",
			Reference: "onnxruntime/core/session/inference_session.cc, ONNX Runtime 1.16"},
		words:  lazy.Regexp(`Got invalid dimensions for input: \S* ?for the following indices`),
		answer: invalidDimensions,
	},
	{
		Message: Message{ID: "tensorrt-input-shape", Framework: "TensorRT",
			Text: "IExecutionContext::setInputShape: Error Code 3: API Usage Error (Parameter check failed, condition: engineDims.d[i] == dims.d[i]. " +
				"Static dimension mismatch while setting input shape for input. Set dimensions are [1,224,224,3]. Expected dimensions are [1,3,224,224].",
			Reference: "nvinfer1::IExecutionContext::setInputShape, TensorRT 10"},
		words:  lazy.Regexp(`Set dimensions are ` + list + `\. Expected dimensions are ` + list),
		answer: func(_ string, m []string) Answer { return reordered("TensorRT's engine", m[1], m[2]) },
	},
	{
		Message: Message{ID: "openvino-input-shape", Framework: "OpenVINO",
			Text:      "Can't set the input tensor with index: 0, because the model input (shape=[1,3,224,224]) and the tensor (shape=(1.224.224.3)) are incompatible",
			Reference: "src/plugins/intel_cpu/src/infer_request.cpp, OpenVINO 2024"},
		words: lazy.Regexp(`the model input \(shape=(\[[^\]]*\])\) and the tensor \(shape=\(([\d.]*)\)\) are incompatible`),
		answer: func(_ string, m []string) Answer {
			return reordered("OpenVINO's model", strings.ReplaceAll(m[2], ".", ","), strings.ReplaceAll(m[1], "?", "-1"))
		},
	},
	{
		Message: Message{ID: "tensorflow-nhwc", Framework: "TensorFlow",
			Text:      "The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: NCHW",
			Reference: "tensorflow/core/kernels/conv_ops.cc, TensorFlow 2.3"},
		words: lazy.Regexp(`only supports (?:the )?NHWC(?: tensor format)? on (?:the CPU|device type CPU)`),
		answer: always(Answer{What: "TensorFlow's CPU kernels support only NHWC, and the layer has data_format NCHW (channels_first)", Same: tensor.No,
			Cost:     "one transposition of the input; weights stay HWIO",
			Fixes:    []string{`keras.layers.Conv2D(…, data_format="channels_last")`, "x = tf.transpose(x, [0, 2, 3, 1])"},
			Commands: []string{"tlayout convert FILE.npy --from nchw --to nhwc"}}),
	},
	{
		Message: Message{ID: "pillow-data-type", Framework: "Pillow", Live: true,
			Text: "Cannot handle this data type: (1, 1, 224), |u1", Reference: "src/PIL/Image.py: fromarray, Pillow 9.4"},
		words: lazy.Regexp(`Cannot handle this data type: \(1, 1, (\d+)\), (\S+)`),
		answer: func(_ string, m []string) Answer {
			a := Answer{What: "Pillow expects H,W,C with 1, 3 or 4 channels last, and the last axis has size " + m[1] + ": the array looks like C,H,W",
				Same: tensor.No, Cost: "Image.fromarray copies the array once, as always",
				Fixes:    []string{"Image.fromarray(a.transpose(1, 2, 0))"},
				Commands: []string{"tlayout convert FILE.npy --from chw --to hwc"}}
			if slices.Contains([]string{"1", "3", "4"}, m[1]) {
				a.What = "Pillow does not support images with " + m[1] + " channels of type " + m[2]
				a.Same = tensor.Unknown
				a.Fixes = []string{"Image.fromarray((a * 255).astype(np.uint8))  # for floats from 0 to 1"}
				a.Commands = []string{"tlayout inspect FILE.npy"}
			}
			return a
		},
	},
	{
		Message: Message{ID: "channels-last-rank", Framework: "PyTorch", Live: true,
			Text: "required rank 4 tensor to use channels_last format", Reference: "c10/core/TensorImpl.h, PyTorch 1.13"},
		words:  lazy.Regexp(`required rank ([45]) tensor to use (channels_last(?:_3d)?) format`),
		answer: wrongRank,
	},
}

// wrongRank answers a memory format that exists only for one rank.
func wrongRank(_ string, m []string) Answer {
	other := map[string]string{"channels_last": "channels_last_3d is for rank 5", "channels_last_3d": "channels_last is for rank 4"}[m[2]]
	return Answer{
		What: m[2] + " exists for rank " + m[1] + " only", Same: tensor.Unknown,
		Cost:  "unsqueeze and squeeze are free views; the conversion copies the tensor once",
		Facts: []string{"it is N,C,H,W or N,C,D,H,W with C innermost; " + other + ", and other ranks have no such format"},
		Fixes: []string{"x.unsqueeze(0).to(memory_format=torch." + m[2] + ").squeeze(0)  # C,H,W",
			"for p in model.parameters():\n    if p.dim() == " + m[1] + ": p.data = p.data.to(memory_format=torch." + m[2] + ")"},
		Commands: []string{"tlayout formats " + m[2]},
	}
}

// channelsLast returns the shape with axis 1 moved to the end.
func channelsLast(shape []int) []int { return slices.Concat(shape[:1], shape[2:], shape[1:2]) }

// channelsFirst returns the shape with the last axis moved to axis 1.
func channelsFirst(shape []int) []int {
	last := len(shape) - 1
	return slices.Concat(shape[:1], shape[last:], shape[1:last])
}

var badIndex = lazy.Regexp(`index: (\d+) Got: (\d+) Expected: (\d+)`)

// invalidDimensions answers ONNX Runtime, which prints only the axes that differ.
func invalidDimensions(text string, _ []string) Answer {
	a := Answer{What: "the input's sizes are not the model's", Same: tensor.Unknown, Cost: "nothing: the call fails", Facts: []string{}, Fixes: []string{},
		Commands: []string{"tlayout inspect FILE.npy"}}
	got := []string{}
	want := []string{}
	axes := []string{}
	for _, m := range badIndex.Get().FindAllStringSubmatch(text, 16) {
		axes = append(axes, m[1])
		got = append(got, m[2])
		want = append(want, m[3])
		a.Facts = append(a.Facts, fmt.Sprintf("axis %s: %s, expected %s", m[1], m[2], m[3]))
	}
	channels := func(n string) bool { return n == "1" || n == "3" || n == "4" }
	last := len(axes) - 1
	if last < 1 || axes[0] != "1" || !slices.Equal(sorted(got), sorted(want)) {
		a.Facts = append(a.Facts, "the sizes are not a permutation of the expected ones: not a layout problem")
		return a
	}
	if got[last] == want[0] && channels(got[last]) {
		return layoutOf(a, "ONNX Runtime's model", "nhwc", "nchw", axes[last])
	}
	if got[0] == want[last] && channels(got[0]) {
		return layoutOf(a, "ONNX Runtime's model", "nchw", "nhwc", axes[last])
	}
	return a
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

// reordered answers a runtime that prints both shapes. A size of -1 matches any.
func reordered(who, got, want string) Answer {
	a := Answer{What: who + " expects an input of other sizes", Same: tensor.Unknown, Cost: "nothing: the call fails", Facts: []string{}, Fixes: []string{}, Commands: []string{}}
	have, ok := sizes(got)
	if !ok || len(have) == 0 {
		return a
	}
	wanted, err := sizesOrFree(want)
	a.Facts = []string{"got " + tensor.Tuple(have) + ", expected " + strings.ReplaceAll(tensor.Tuple(wanted), "-1", "any")}
	a.Commands = []string{"tlayout inspect --shape " + spelled(have)}
	fits := func(shape []int) bool {
		if err != nil || len(shape) != len(wanted) {
			return false
		}
		for d, n := range wanted {
			if n != -1 && n != shape[d] {
				return false
			}
		}
		return true
	}
	if len(have) >= 3 && fits(channelsFirst(have)) {
		return inRuntime(permuted(a, who, have, channelsFirst(ints.Range(len(have)))))
	}
	if len(have) >= 3 && fits(channelsLast(have)) {
		return inRuntime(permuted(a, who, have, channelsLast(ints.Range(len(have)))))
	}
	if len(a.Facts) == 1 {
		a.Facts = append(a.Facts, "exchanging channels first and last does not give these sizes: not a layout problem")
	}
	return a
}

// inRuntime adds what an input of a runtime needs, which is contiguous.
func inRuntime(a Answer) Answer {
	a.Same = tensor.No
	a.Cost = "one copy of the input: runtimes require a contiguous one"
	a.Fixes = []string{a.Fixes[0] + ".contiguous()", strings.Replace(a.Fixes[0], "x.permute(", "np.ascontiguousarray(x.transpose(", 1) + ")  # in NumPy"}
	return a
}

// permuted answers an input that has the expected sizes in another order of dims.
func permuted(a Answer, who string, have, order []int) Answer {
	dims := ints.Range(len(have))
	want := make([]int, len(order))
	for i, d := range order {
		want[i] = have[d]
	}
	a.Same = tensor.No
	a.Facts = []string{}
	a.Cost = "permute is a view and copies nothing; what requires contiguous input copies it once"
	a.What = fmt.Sprintf("the input has shape %s; %s expects %s", tensor.Tuple(have), who, tensor.Tuple(want))
	if len(have) > 2 && slices.Equal(order, channelsLast(dims)) {
		a.What = fmt.Sprintf("the input has channels first, %s; %s expects channels last, %s", tensor.Tuple(have), who, tensor.Tuple(want))
	}
	if len(have) > 2 && slices.Equal(order, channelsFirst(dims)) {
		a.What = fmt.Sprintf("the input has channels last, %s; %s expects channels first, %s", tensor.Tuple(have), who, tensor.Tuple(want))
		a.Same = tensor.Yes
		a.Cost = "nothing in PyTorch: permute is a view, and its result is channels_last"
	}
	a.Fixes = []string{fmt.Sprintf("x = x.permute(%s)", text.Ints(order, ", "))}
	a.Commands = []string{fmt.Sprintf("tlayout trace --shape %s 'permute(%s)'", spelled(have), text.Ints(order, ","))}
	return a
}

// layoutOf is permuted with only some sizes known.
func layoutOf(a Answer, who, from, to, last string) Answer {
	orders := map[string]string{"nhwc": "0, 3, 1, 2", "nchw": "0, 2, 3, 1"}
	a.What = fmt.Sprintf("the input is %s, %s expects %s", strings.ToUpper(from), who, strings.ToUpper(to))
	a.Same = tensor.No
	a.Cost = "one copy of the input"
	if last != "3" {
		a.What = fmt.Sprintf("axes 1 and %s of the input are exchanged", last)
		return a
	}
	a.Fixes = []string{"x = np.ascontiguousarray(x.transpose(" + orders[from] + "))"}
	a.Commands = []string{fmt.Sprintf("tlayout convert FILE.npy --from %s --to %s", from, to)}
	return a
}
