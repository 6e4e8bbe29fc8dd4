package ask

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// readPython reads calls on a tensor, x.permute(0,2,3,1).view(2,-1), and a pattern of einops, b c h w -> b (h w) c. A tensor that the text
// does not make has the shape with which most of the calls work.
func readPython(s string) []Reading {
	if isPattern(s) {
		return traced("a pattern of einops", "rearrange("+quote(s)+")")
	}
	if !MayBeCode(s) {
		return nil
	}
	if trace.IsSession(s) && strings.Contains(s, "Error: ") { // the question is why, if a session ends with an error
		return nil
	}
	return traced("Python", withoutGrad(s))
}

// ofTensors matches the start of code of tensors: torch.…, np.…, x.…, and y = f(…).
var ofTensors = lazy.Regexp(`^(?:torch|np|numpy|F|[a-z])\.[A-Za-z]|^\w+(?:, \w+)* = [A-Za-z_][\w.]*\(`)

// isUnfollowed reports whether a text is code of tensors that trace cannot follow, and says why: x.view(B, -1) of an unknown B. torch.Size([2, 3])
// is a print, also behind a name.
func isUnfollowed(s string) bool {
	isPrint := strings.Contains(s, "torch.Size(")
	return !isPrint && MayBeCode(s) && ofTensors.Get().MatchString(s)
}

// readUnfollowed leaves it to trace to say what it lacks.
func readUnfollowed(s string) []Reading {
	if !isUnfollowed(s) {
		return nil
	}
	r := Reading{As: "Python", Args: []string{"trace"}}
	isNumPy := strings.Contains(s, "np.") || strings.Contains(s, "numpy.")
	if isNumPy && !strings.Contains(s, "torch.") {
		r.Args = append(r.Args, "--numpy")
	}
	shape := assumedShapes[0]
	r.Args = append(r.Args, "--shape", text.Ints(shape, ","), s)
	r.Assumed = "the shape " + tensor.Tuple(shape)
	return []Reading{r}
}

// withoutGrad removes what PyTorch prints behind a tensor and Python cannot read: grad_fn=<AddBackward0>.
func withoutGrad(s string) string {
	before, after, ok := strings.Cut(s, ", grad_fn=<")
	if !ok {
		return s
	}
	_, rest, ok := strings.Cut(after, ">")
	if !ok {
		return s
	}
	return before + rest
}

// quote returns a string of Python.
func quote(s string) string { return `"` + s + `"` }

// MayBeCode reports whether an argument is Python that trace follows, and not the name of a file.
func MayBeCode(arg string) bool {
	return !name.Parse(arg).LooksLikeFile() && trace.IsCode(withoutGrad(arg))
}

// isPattern reports whether a text is an axis pattern of einops: names, one space apart, with an arrow between.
func isPattern(s string) bool {
	left, right, ok := strings.Cut(s, "->")
	if !ok {
		return false
	}
	for _, side := range []string{left, right} {
		axes := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(side))
		for _, axis := range axes {
			if len(axis) > 2 || axis[0] < 'a' || axis[0] > 'z' {
				return false
			}
		}
		if len(axes) < 2 {
			return false
		}
	}
	return true
}

// assumedShapes are tried in this order: sizes that differ, so that a result shows which dim went where.
var assumedShapes = [][]int{{2, 3, 4, 5}, {2, 3, 4}, {2, 3}, {2, 3, 4, 5, 6}, {6}}

// traced is trace of a text, from the shape with which most of its steps work.
func traced(as, code string) []Reading {
	steps, err := trace.ParseAll([]string{code})
	if err != nil {
		return nil
	}
	var best trial
	for _, rules := range []trace.Rules{trace.PyTorch, trace.NumPy} {
		for _, shape := range assumedShapes {
			t := try(steps, shape, rules)
			if t.worked > best.worked {
				best = t
			}
		}
	}
	isPrint := strings.HasPrefix(code, "tensor(") || strings.HasPrefix(code, "array(")
	if best.worked == 0 && !isPrint {
		return nil
	}
	r := Reading{As: as, Args: []string{"trace"}}
	if best.rules == trace.NumPy {
		r.Args = append(r.Args, "--numpy")
	}
	if best.reads {
		r.Args = append(r.Args, "--shape", text.Ints(best.shape, ","))
		r.Assumed = "the shape " + tensor.Tuple(best.shape)
	}
	r.Args = append(r.Args, code)
	return []Reading{r}
}

// trial is how far steps go from an assumed shape.
type trial struct {
	shape  []int
	rules  trace.Rules
	reads  bool // the steps read a tensor that they did not make
	worked int  // 2 for a step that changes the layout, 1 for another and for a last step that is refused, which is an answer too; 0 for none
}

func try(steps []trace.Statement, shape []int, rules trace.Rules) trial {
	t := trial{shape: shape, rules: rules}
	start, err := tensor.Packed(shape)
	if err != nil {
		return t
	}
	f, err := trace.Start(start, nil, start.Numel(), assumedItemSize, rules).FollowAll(steps)
	if err != nil {
		return t
	}
	t.reads = f.Reads
	before := start
	for _, step := range f.Steps {
		t.worked++
		now := step.State.Strided
		isSame := slices.Equal(now.Shape, before.Shape) && slices.Equal(now.Strides, before.Strides)
		if !isSame {
			t.worked++
		}
		before = now
	}
	if f.Refusal != nil || f.Value != "" {
		t.worked++
	}
	return t
}

// assumedItemSize is that of float32, which --shape assumes too.
const assumedItemSize = 4
