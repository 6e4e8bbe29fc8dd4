package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

func profileOf(t testing.TB, trace string) *graph.Program {
	t.Helper()
	p, err := Read(strings.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// described returns a change in a line.
func described(p *graph.Program, c graph.Change) string {
	op := &p.Operators[c.Operator]
	s, _ := p.Tensor(c.Source).Layout.Strided()
	line := fmt.Sprintf("%s %v %v %s -> %s at %s", op.Name, s.Shape, s.Strides, c.FromName(), c.ToName(), op.Place)
	if c.Implied {
		line += fmt.Sprintf(" for operand %d of %s", c.Operand, op.Inside)
	}
	if c.Weight {
		line += ", a weight"
	}
	if c.Cancels >= 0 {
		line += fmt.Sprintf(", cancels %d", c.Cancels)
	}
	return line
}

func changesOf(p *graph.Program) []string {
	var all []string
	for _, c := range p.Changes() {
		all = append(all, described(p, c))
	}
	return all
}

func wantChanges(t *testing.T, p *graph.Program, want ...string) {
	t.Helper()
	if got := changesOf(p); !slices.Equal(got, want) {
		t.Errorf("changes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var netChanges = []string{
	"contiguous [4 32 64 64] [131072 1 2048 32] NHWC -> NCHW at net.py:18, cancels 1",
	"contiguous [4 32 64 64] [131072 4096 64 1] NCHW -> NHWC at net.py:18 for operand 0 of conv2d, cancels 0",
}

// A profile of PyTorch 2.15 has the two changes that its network makes, with the time of the outermost event of each; two reshape() are views.
// Packed with gzip it is the same.
func TestProfile(t *testing.T) {
	for _, name := range []string{"net.json", "net.json.gz"} {
		p := profileOf(t, string(graphtest.Sample(t, name)))
		wantChanges(t, p, netChanges...)
		var names []string
		for _, op := range p.Operators {
			names = append(names, op.Name)
		}
		want := "conv2d batch_norm relu permute reshape layer_norm transpose reshape contiguous contiguous conv2d relu mean linear"
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: operators %s, want %s", name, got, want)
		}
		for i, seconds := range map[int]float64{8: 2883.991e-6, 9: 5695.194e-6, 10: (7703.6 - 5695.194) * 1e-6} {
			if got := p.Operators[i].Seconds; math.Abs(got-seconds) > 1e-12 {
				t.Errorf("%s: operator %d takes %v s, want %v", name, i, got, seconds)
			}
		}
		if got := p.Operators[10].Place; got != (graph.Place{File: "net.py", Line: 18, Module: "Conv2d_1"}) {
			t.Errorf("%s: the second conv2d is at %+v", name, got)
		}
		if len(p.Notes) != 0 || p.Engine != graph.Profile {
			t.Errorf("%s: %v %v", name, p.Notes, p.Engine)
		}
		if !p.Timed || !p.ListsCopies {
			t.Errorf("%s: timed %v, lists copies %v", name, p.Timed, p.ListsCopies)
		}
	}
}

// The values between operators are those of the network: each operator reads what the one before it has made, and permutations are known.
func TestProfileValues(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "net.json")))
	for i := 1; i < len(p.Operators); i++ {
		from := i - 1
		if p.Operators[from].Inside != "" {
			from-- // the copy is conv2d's own
		}
		if p.Operators[i].Inputs[0] != p.Operators[from].Outputs[0] {
			t.Errorf("%s %d does not read the output of %s", p.Operators[i].Name, i, p.Operators[from].Name)
		}
	}
	for i, perm := range map[int][]int{3: {0, 2, 3, 1}, 6: {0, 2, 1}, 4: nil} {
		if got := p.Operators[i].Perm; !slices.Equal(got, perm) {
			t.Errorf("operator %d permutes %v, want %v", i, got, perm)
		}
	}
	weights := 0
	for _, v := range p.Values {
		if v.Weight {
			weights++
		}
	}
	if weights != 2+4+2+2 || len(p.Inputs) != 1 {
		t.Errorf("%d weights, %d inputs", weights, len(p.Inputs))
	}
}

// On a GPU, the time of an operator is that of its kernels: those that name it, and those whose launch is inside it.
func TestProfileKernels(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "gpu.json")))
	wantChanges(t, p, "to [2 8 4 4] [128 16 4 1] NCHW -> NHWC at ")
	for i, micros := range []float64{12.5, 42.25} {
		if got := p.Operators[i].Seconds * 1e6; math.Abs(got-micros) > 1e-6 {
			t.Errorf("%s takes %v µs, want %v", p.Operators[i].Name, got, micros)
		}
	}
	want := []string{"with_stack=True names the lines", "times are those of GPU kernels", "kernels of 0.001 ms belong to no operator"}
	if !slices.Equal(p.Notes, want) {
		t.Errorf("notes %q, want %q", p.Notes, want)
	}
}

// The fields of a kernel behind one that PyTorch has left empty are read. (pytorch/kineto pull request 1213)
func TestProfileEmptyField(t *testing.T) {
	op := strings.Replace(operatorEvent("aten::relu", 1, 1, "[[2]]", "[[1]]", `["float"]`), `"args":{`, `"args":{"External id": 5,`, 1)
	p := profileOf(t, traceOf(op, `{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":3,"args":{"Process Group Description": , "External id": 5}}`))
	if got := p.Operators[0].Seconds; got != 3e-6 {
		t.Errorf("%v s", got)
	}
}

// A file that is cut inside any event is read up to there, and says at which event; also one of gzip.
func TestProfileCut(t *testing.T) {
	whole := graphtest.Sample(t, "net.json")
	first := bytes.Index(whole, []byte("[\n{")) + 2
	operators := 0
	at := first
	for n := 1; ; n++ {
		size := bytes.IndexByte(whole[at:], '\n')
		if size < 3 {
			break
		}
		for _, cut := range []int{at + 1, at + size/3, at + size - 2} {
			p, err := Read(bytes.NewReader(whole[:cut]))
			if err != nil {
				if operators > 0 {
					t.Fatalf("cut inside event %d: %v", n, err)
				}
				continue
			}
			want := fmt.Sprintf("the file ends inside event %d; read until there", n)
			if p.Notes[0] != want || len(p.Operators) < operators {
				t.Fatalf("cut inside event %d: notes %q, %d operators after %d", n, p.Notes, len(p.Operators), operators)
			}
			operators = len(p.Operators)
		}
		at += size + 1
	}
	if operators != 14 {
		t.Errorf("%d operators", operators)
	}
	for cut := range first {
		_, err := Read(bytes.NewReader(whole[:cut]))
		if err == nil {
			t.Errorf("cut at %d: no error", cut)
		}
	}
	packed := graphtest.Sample(t, "net.json.gz")
	p, err := Read(bytes.NewReader(packed[:len(packed)/2]))
	if err != nil || len(p.Notes) == 0 {
		t.Errorf("half of a gzip file: %v", err)
	}
}

// A gzip file with a damaged byte is malformed, or reads what is before it.
func TestProfileDamaged(t *testing.T) {
	packed := graphtest.Sample(t, "net.json.gz")
	malformed := 0
	for i := 10; i < len(packed); i += 5 {
		damaged := bytes.Clone(packed)
		damaged[i] ^= 0x55
		_, err := Read(bytes.NewReader(damaged))
		if err != nil && fault.ClassOf(err) == fault.Resource {
			t.Errorf("byte %d: %v", i, err)
		}
		if err != nil {
			malformed++
		}
	}
	if malformed < len(packed)/10 {
		t.Errorf("%d of %d damaged files are malformed", malformed, len(packed)/5)
	}
}

// Events in any order make the same program.
func TestProfileOrder(t *testing.T) {
	lines := strings.Split(string(graphtest.Sample(t, "net.json")), "\n")
	first := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, `"traceEvents"`) }) + 1
	end := slices.Index(lines, "],")
	events := lines[first:end]
	events[len(events)-1] += ","
	slices.Reverse(events)
	events[len(events)-1] = strings.TrimSuffix(events[len(events)-1], ",")
	wantChanges(t, profileOf(t, strings.Join(lines, "\n")), netChanges...)
}

// operatorEvent returns the event of an operator: its operands are a shape and strides each.
func operatorEvent(name string, begin, time int, dims, strides, types string) string {
	return fmt.Sprintf(`{"ph":"X","cat":"cpu_op","name":%q,"pid":1,"tid":1,"ts":%d,"dur":%d,"args":{"Input Dims":%s,"Input Strides":%s,`+
		`"Input type":%s}}`, name, begin, time, dims, strides, types)
}

func traceOf(events ...string) string { return `{"traceEvents":[` + strings.Join(events, ",") + `]}` }

// What is not a profile with layouts is refused with what to do.
func TestProfileRefused(t *testing.T) {
	bare := `{"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":1,"dur":1,"args":{"Input Dims":[[2]]}}`
	for _, c := range []struct {
		trace, text string
		class       fault.Class
	}{
		{traceOf(`{"ph":"X","cat":"x","name":"f","ts":1,"dur":1}`), "a Chrome trace without PyTorch's operators", fault.Unsupported},
		{traceOf(strings.Replace(bare, `"Input Dims":[[2]]`, "", 1)), "a profile without shapes", fault.Unsupported},
		{`[{"name": "aten::conv2d", "ph": "X", "ts": 257, "dur": 1892, "tid": 1, "pid": "CPU functions", "args": {}}]`,
			"a profile without shapes", fault.Unsupported}, // Debian's PyTorch 1.13, without Kineto
		{traceOf(bare), "a profile without strides", fault.Unsupported},
		{traceOf(`{"ph":"X","cat":"cuda_runtime","name":"f","ts":1,"dur":1,"args":{"correlation":3}}`),
			"a Chrome trace without PyTorch's operators", fault.Unsupported},
		{`{"a": 1}`, "a JSON file without traceEvents", fault.Unsupported},
		{`text`, "not a Chrome trace: want { or [ at byte 0", fault.Malformed},
		{`{"traceEvents":[` + bare + ` 7]}`, fmt.Sprintf("want an event at byte %d", 17+len(bare)), fault.Malformed},
		{``, "the file ends before its events", fault.Malformed},
		{`{"schemaVersion": 1, "a`, "the file ends before its events", fault.Malformed},
		{"\x1f\x8b\x00", "a gzip file with a broken header", fault.Malformed},
	} {
		_, err := Read(strings.NewReader(c.trace))
		var e *fault.Error
		if !errors.As(err, &e) || e.Text != c.text || e.Class != c.class {
			t.Errorf("%.60s: %v, want %s", c.trace, err, c.text)
		}
		if c.class == fault.Unsupported && c.trace[1] != '"' && e.Hint == "" {
			t.Errorf("%s: no hint", c.text)
		}
	}
}

// Tensors that look alike are not taken for one: changes of q and v, which unbind() makes, do not repeat one another.
func TestProfileAlike(t *testing.T) {
	whole := []string{"[[3,2,4,8]]", "[[64,32,1,4]]", `["float"]`}
	events := []string{operatorEvent("aten::unbind", 1, 9, whole[0], whole[1], whole[2])}
	for i := range 3 {
		one := operatorEvent("aten::as_strided", 2+i, 1, whole[0], whole[1], whole[2])
		events = append(events, strings.Replace(one, `"args":{`, `"args":{"Concrete Inputs":["","[2, 4, 8]","[32, 1, 4]",""],`, 1))
	}
	for i := range 2 {
		events = append(events, operatorEvent("aten::contiguous", 20+10*i, 9, "[[2,4,8]]", "[[32,1,4]]", `["float"]`),
			operatorEvent("aten::copy_", 21+10*i, 5, "[[2,4,8],[2,4,8]]", "[[32,8,1],[32,1,4]]", `["float","float"]`))
	}
	p := profileOf(t, traceOf(events...))
	changes := p.Changes()
	if len(changes) != 2 || len(p.Operators[0].Outputs) != 3 {
		t.Fatalf("%d changes, %d outputs", len(changes), len(p.Operators[0].Outputs))
	}
	if changes[0].Repeats >= 0 || changes[1].Repeats >= 0 {
		t.Errorf("a change repeats %d, %d", changes[0].Repeats, changes[1].Repeats)
	}
}

// A copy that an operator makes for itself names its operand: a weight, or none for what the operator has made.
func TestProfileOperand(t *testing.T) {
	types := `["float","float"]`
	copied := func(dims, from, to string) []string {
		return []string{
			operatorEvent("aten::conv2d", 1, 100, "[[2,8,4,4],[8,8,3,3]]", "[[128,1,32,8],[72,9,3,1]]", types),
			operatorEvent("aten::contiguous", 2, 40, "["+dims+"]", "["+from+"]", `["float"]`),
			operatorEvent("aten::clone", 3, 30, "["+dims+"]", "["+from+"]", `["float"]`),
			operatorEvent("aten::copy_", 4, 20, "["+dims+","+dims+"]", "["+to+","+from+"]", types),
		}
	}
	p := profileOf(t, traceOf(copied("[8,8,3,3]", "[72,9,3,1]", "[72,1,24,8]")...))
	wantChanges(t, p, "contiguous [8 8 3 3] [72 9 3 1] OIHW -> OHWI at  for operand 1 of conv2d, a weight")
	if got := p.Operators[0].Seconds; math.Abs(got-40e-6) > 1e-12 {
		t.Errorf("contiguous takes %v s", got)
	}
	p = profileOf(t, traceOf(copied("[8,8,5,5]", "[200,25,5,1]", "[200,1,40,8]")...))
	wantChanges(t, p, "contiguous [8 8 5 5] [200 25 5 1] 0,1,2,3 -> 0,2,3,1 at  for operand 2 of conv2d")
}

// Copies into the same order, casts, and copies of tensors whose dims that differ have size 1 are not changes.
func TestProfileSameOrder(t *testing.T) {
	types := `["double","float"]`
	p := profileOf(t, traceOf(
		operatorEvent("aten::to", 1, 9, "[[2,1,4,4]]", "[[16,1,4,1]]", `["float"]`),
		operatorEvent("aten::copy_", 2, 5, "[[2,1,4,4],[2,1,4,4]]", "[[16,16,4,1],[16,1,4,1]]", types),
		operatorEvent("aten::copy_", 20, 5, "[[2,3,4],[2,3,4]]", "[[12,4,1],[4,0,1]]", types),
		operatorEvent("aten::copy_", 30, 5, "[[2,3,4],[2,3,4]]", "[[12,4,1],[1,2,6]]", types)))
	wantChanges(t, p, "copy_ [2 3 4] [1 2 6] 2,1,0 -> 0,1,2 at ")
	if len(p.Operators) != 3 {
		t.Errorf("%d operators", len(p.Operators))
	}
}

// x.copy_(y) reads y, which the operator before has made; a copy_ inside it is part of it. _to_copy, as autocast calls it, is a copy.
func TestProfileCopies(t *testing.T) {
	types := `["float","float"]`
	both := "[[2,3,4],[2,3,4]]"
	p := profileOf(t, traceOf(
		operatorEvent("aten::relu", 1, 9, "[[2,3,4]]", "[[12,1,3]]", `["float"]`),
		operatorEvent("aten::copy_", 20, 9, both, "[[12,4,1],[12,1,3]]", types),
		operatorEvent("aten::copy_", 21, 5, both, "[[1,2,6],[12,1,3]]", types),
		operatorEvent("aten::add", 30, 5, both, "[[12,4,1],[12,4,1]]", types),
		operatorEvent("aten::_to_copy", 40, 9, "[[2,3,4]]", "[[12,1,3]]", `["float"]`),
		operatorEvent("aten::copy_", 41, 5, both, "[[12,4,1],[12,1,3]]", types)))
	wantChanges(t, p, "copy_ [2 3 4] [12 1 3] 0,2,1 -> 0,1,2 at ", "_to_copy [2 3 4] [12 1 3] 0,2,1 -> 0,1,2 at ")
	if p.Operators[1].Inputs[0] != p.Operators[0].Outputs[0] {
		t.Errorf("copy_ reads %v, not %v", p.Operators[1].Inputs, p.Operators[0].Outputs)
	}
	if sum := p.Operators[2].Inputs; sum[0] == sum[1] || sum[0] != p.Operators[1].Outputs[0] {
		t.Errorf("add reads %v after %v", sum, p.Operators[1].Outputs)
	}
}

// What autograd wraps around operators is not one; operators of several threads are in order of time.
func TestProfileThreads(t *testing.T) {
	other := strings.Replace(operatorEvent("aten::add", 4, 2, "[[2]]", "[[1]]", `["float"]`), `"tid":1`, `"tid":"2"`, 1)
	p := profileOf(t, traceOf(
		operatorEvent("autograd::engine::evaluate_function: MulBackward0", 1, 90, "[]", "[]", "[]"),
		operatorEvent("MulBackward0", 2, 80, "[[2]]", "[[1]]", `["float"]`),
		operatorEvent("aten::mul", 3, 10, "[[2]]", "[[1]]", `["float"]`),
		operatorEvent("aten::relu", 20, 10, "[[2]]", "[[1]]", `["float"]`), other))
	var names []string
	for _, op := range p.Operators {
		names = append(names, op.Name)
	}
	if !slices.Equal(names, []string{"mul", "add", "relu"}) {
		t.Errorf("operators %q", names)
	}
}

// An operator that no call of Python makes, as q @ k, has the line that its function has reached, not that of the function's caller.
func TestProfilePlaces(t *testing.T) {
	call := func(name, from string, begin, time int) string {
		return fmt.Sprintf(`{"ph":"X","cat":"python_function","name":%q,"pid":1,"tid":1,"ts":%d,"dur":%d,"args":{"CallFrom":%q}}`,
			name, begin, time, from)
	}
	one := func(begin int) string { return operatorEvent("aten::mul", begin, 1, "[[2]]", "[[1]]", `["float"]`) }
	p := profileOf(t, traceOf(one(2), one(12), one(21), one(31), one(45), one(90),
		call("tlayout/graphs.py(9): _profile", "/home/me/main.py:70", 1, 60),
		call("nn.Module: Net_0", "tlayout/graphs.py:10", 1, 60),
		call("torch/nn/modules/module.py(9): _call_impl", "torch/nn/modules/module.py:8", 2, 58),
		call("/home/me/net.py(5): forward", "torch/nn/modules/module.py:9", 10, 50),
		call("<built-in function f>", "/home/me/net.py:8", 20, 5),
		call("/usr/lib/python3.11/site-packages/torch/functional.py(3): g", "/home/me/net.py:9", 22, 1),
		call("<built-in function h>", "/home/me/other.py:77", 40, 1)))
	var places []string
	for _, op := range p.Operators {
		places = append(places, op.Place.String()+" "+op.Place.Module)
	}
	want := []string{"main.py:70 Net_0", "net.py:5 Net_0", "net.py:8 Net_0", "net.py:9 Net_0", "net.py:9 Net_0", " "}
	if !slices.Equal(places, want) {
		t.Errorf("places %q, want %q", places, want)
	}
}

// What is not JSON, or not like a profile, is read in bounded time and memory: deep nesting, keys twice, numbers that are none, empty values,
// strings over the limit of an event, integers over 64 bits.
func TestProfileHostile(t *testing.T) {
	good := operatorEvent("aten::relu", 1, 1, "[[2]]", "[[1]]", `["float"]`)
	deep := strings.Repeat(`{"a":[`, 10000) + strings.Repeat(`]}`, 10000)
	dims := strings.Repeat("[", 9999) + strings.Repeat("]", 9999)
	for name, event := range map[string]string{
		"deep":      deep,
		"deep args": `{"ph":"X","cat":"cpu_op","name":"aten::x","ts":1,"dur":1,"args":{"Input Dims":` + dims + `}}`,
		"twice":     `{"ph":"M","ph":"X","cat":"cpu_op","cat":"cpu_op","name":"b","name":"aten::x","ts":1,"ts":NaN,"dur":1}`,
		"inf":       `{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 0, "args": {"memory bandwidth (GB/s)": inf}}`,
		"empty":     `{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 3, "args": {"Process Group Description": , "External id": 0}}`,
		"huge":      `{"ph":"X","cat":"cpu_op","name":"` + strings.Repeat("x", 3*maxEvent) + `","ts":1,"dur":1}`,
		"escapes":   `{"ph":"X","cat":"cpu_op","name":"aten::\u0078\"\\","ts":1,"dur":1}`,
		"integers": operatorEvent("aten::copy_", 5, 1, "[[9223372036854775807,9223372036854775807],[99999999999999999999]]",
			"[[9223372036854775807,1],[-1]]", `["float","float"]`),
		"bracket": `{"ph":"X"]`,
	} {
		p := profileOf(t, traceOf(event, good))
		if !slices.ContainsFunc(p.Operators, func(op graph.Operator) bool { return op.Name == "relu" }) {
			t.Errorf("%s: %d operators", name, len(p.Operators))
		}
		p.Changes()
		isNoted := slices.Contains(p.Notes, "1 events of more than 1 MiB are left out")
		if isNoted != (name == "huge") {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
	}
}

// Events that enclose one another deeply, with many copies inside, take time in proportion to their number; copies that one event makes share
// its time.
func TestProfileDeep(t *testing.T) {
	const n = 50_000
	var events []string
	for i := range n {
		events = append(events, operatorEvent("aten::contiguous", 1+i, 10*n-2*i, "[]", "[]", "[]"),
			fmt.Sprintf(`{"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":%d,"dur":%d,"args":{"CallFrom":"a.py:1"}}`, i, 10*n-2*i))
	}
	for i := range n {
		events = append(events, operatorEvent("aten::copy_", 2*n+2*i, 1, "[[2,3],[2,3]]", "[[3,1],[1,2]]", `["float","float"]`))
	}
	p := profileOf(t, traceOf(events...))
	sum := p.Seconds()
	if len(p.Operators) != n+1 || math.Abs(sum-10*n*1e-6) > 1e-6 {
		t.Errorf("%d operators, %v s", len(p.Operators), sum)
	}
}

// Times since 1970 keep their nanoseconds.
func TestNanoseconds(t *testing.T) {
	for text, want := range map[string]int64{"5121335987108.823": 5121335987108823, "1790857026000000.5": 1790857026000000500, "7": 7000,
		"0.0019": 1, "1e3": 1000000, "-2.5": -2500} {
		got, ok := nanoseconds([]byte(text))
		if !ok || got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "NaN", "1e300", "99999999999999999999", "x", "1.2.3", "inf"} {
		if got, ok := nanoseconds([]byte(text)); ok {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// FuzzProfile reads hostile bytes: no panic, and every index of the program is in range.
func FuzzProfile(f *testing.F) {
	f.Add(graphtest.Sample(f, "net.json")[:3000])
	f.Add(graphtest.Sample(f, "gpu.json"))
	f.Add([]byte(traceOf(operatorEvent("aten::copy_", 1, 1, "[[2,3],[2,3]]", "[[3,1],[1,2]]", `["float","float"]`))))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Read(bytes.NewReader(b))
		if err != nil {
			if fault.ClassOf(err) == fault.Resource {
				t.Errorf("%v", err)
			}
			return
		}
		for _, op := range p.Operators {
			for _, id := range slices.Concat(op.Inputs, op.Outputs) {
				if id < graph.NoValue || int(id) >= len(p.Values) {
					t.Errorf("value %d of %d", id, len(p.Values))
				}
			}
			if op.Seconds < 0 || op.Seconds > 1e10 {
				t.Errorf("%s takes %v s", op.Name, op.Seconds)
			}
		}
		p.Changes()
	})
}

// repeated is a trace of n copies of the sample's events, with other times and threads.
type repeated struct {
	event []byte
	n     int
	rest  []byte
}

func (r *repeated) Read(b []byte) (int, error) {
	if len(r.rest) == 0 && r.n == 0 {
		return 0, io.EOF
	}
	if len(r.rest) == 0 {
		r.n--
		r.rest = bytes.ReplaceAll(r.event, []byte("51213"), fmt.Appendf(nil, "%05d", 50000+r.n%10000))
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// BenchmarkProfile reads the sample's events many times over.
func BenchmarkProfile(b *testing.B) {
	whole := graphtest.Sample(b, "net.json")
	begin := bytes.Index(whole, []byte(`[`+"\n"+`{`)) + 1
	end := bytes.LastIndex(whole, []byte("\n],"))
	events := append(bytes.Clone(whole[begin:end]), ',')
	for b.Loop() {
		const n = 1000
		b.SetBytes(int64(n * len(events)))
		_, err := Read(io.MultiReader(bytes.NewReader(whole[:begin]), &repeated{event: events, n: n}))
		if err != nil {
			b.Fatal(err)
		}
	}
}
