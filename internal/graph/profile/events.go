package profile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
)

// Limits of what is kept of a trace. A step of a large model has 100,000 events of operators, with some hundred different operands.
const (
	maxEvents     = 4 << 20  // of operators, calls, kernels or launches, each
	maxNames      = 64 << 20 // bytes of different names
	maxSignatures = 16 << 20 // bytes of different operands
	maxArgument   = 64 << 10 // bytes of a list in args
	maxThreads    = 1 << 14
	maxOperands   = 64 // of an operator
	maxRank       = 64 // as in PyTorch
)

// trace is what is kept of a profile's events, in times of nanoseconds.
type trace struct {
	names      map[string]uint32
	operators  []operatorName // by name
	texts      []string       // by name
	threads    []*thread
	threadIDs  map[string]int
	key        []byte // scratch
	signatures map[string]uint32
	operands   [][]operand // by signature; that of 0 is empty
	shapes     shapes
	views      map[string]uint32
	asks       []ask // by number; that of 0 is empty

	events, calls, nameBytes, signatureBytes int // that are kept

	kernels  []kernel
	launches []launch
	hasOps   bool // there are operators
	hasDims  bool // one has "Input Dims"
	hasSteps bool // and "Input Strides"
	left     int  // events, names or shapes over a limit
	notes    []string
}

// thread is the events of one (pid, tid).
type thread struct {
	events []event
	calls  []call
}

// event is an operator's, or, with the name launchName, the call that launches a kernel.
type event struct {
	begin, time int64
	external    int64  // "External id", by which kernels name the operator that launched them
	name        uint32 // in trace.operators
	signature   uint32 // in trace.operands
	outputs     uint32 // in trace.operands; 0 for unknown ones
	asks        uint32 // in trace.asks
}

func (e *event) end() int64 { return e.begin + e.time }

// ask is the sizes that a view is asked for, and the strides, which view() is not.
type ask struct{ shape, strides []int }

// kernel is time that an operator takes on a GPU.
type kernel struct {
	key     int64 // event.external
	seconds float64
}

// launch says which operator launched the kernel with a correlation.
type launch struct{ correlation, external int64 }

// launchName is the name of events that launch kernels.
const launchName = 0

func newTrace() *trace {
	t := &trace{names: map[string]uint32{}, threadIDs: map[string]int{}, signatures: map[string]uint32{}, operands: [][]operand{nil},
		views: map[string]uint32{}, asks: make([]ask, 1), shapes: newShapes()}
	t.name(nil)
	return t
}

// readTrace reads the events of a Chrome trace.
func readTrace(r io.Reader) (*trace, error) {
	t := newTrace()
	s := newEventScanner(r)
	err := s.open()
	if errors.Is(err, errCut) {
		return nil, fault.New(fault.Malformed, "the file ends before its events")
	}
	for err == nil {
		var raw []byte
		raw, err = s.next()
		if err == nil {
			t.add(raw)
		}
	}
	if errors.Is(err, errCut) {
		t.notes = append(t.notes, "the file ends inside event "+strconv.Itoa(s.Events)+"; read until there")
		err = nil
	}
	if s.Longer > 0 {
		t.notes = append(t.notes, strconv.Itoa(s.Longer)+" events of more than 1 MiB are left out")
	}
	if t.left > 0 {
		t.notes = append(t.notes, strconv.Itoa(t.left)+" events or shapes over the limits are left out")
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return t, err
}

// rawEvent is the fields of an event as they are written.
type rawEvent struct {
	phase, category, name, pid, tid, begin, time []byte
	args                                         list
}

func newRawEvent(raw []byte) rawEvent {
	var e rawEvent
	fields := membersOf(raw)
	for {
		key, value, ok := fields.member()
		if !ok {
			return e
		}
		switch string(key) {
		case "ph":
			e.phase = value
		case "cat":
			e.category = value
		case "name":
			e.name = value
		case "pid":
			e.pid = value
		case "tid":
			e.tid = value
		case "ts":
			e.begin = value
		case "dur":
			e.time = value
		case "args":
			e.args = membersOf(value)
		}
	}
}

// add keeps what a program is made of: complete events (ph X) of operators, Python's functions and kernels. Their categories have other names
// before PyTorch 1.12: Operator, Runtime, Kernel, Memcpy, Memset. (output_json.cpp and ActivityType.cpp in libkineto;
// torch/profiler/_chrome_trace_export.py in PyTorch 2.15; the events of a PyTorch without Kineto have no category)
func (t *trace) add(raw []byte) {
	e := newRawEvent(raw)
	begin, ok := nanoseconds(e.begin)
	if string(e.phase) != `"X"` || !ok {
		return
	}
	time, ok := nanoseconds(e.time)
	if !ok || time < 0 {
		return
	}
	switch string(stringOf(e.category)) {
	case "cpu_op", "Operator":
		t.addOperator(&e, begin, time)
	case "":
		if bytes.HasPrefix(stringOf(e.name), []byte("aten::")) {
			t.addOperator(&e, begin, time)
		}
	case "python_function":
		t.addCall(&e, begin, time)
	case "kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset":
		t.addKernel(&e, time)
	case "cuda_runtime", "cuda_driver", "privateuse1_runtime", "privateuse1_driver", "Runtime":
		t.addLaunch(&e, begin)
	}
}

// thread returns that of an event; nil over the limit.
func (t *trace) thread(e *rawEvent) *thread {
	t.key = append(append(append(t.key[:0], stringOf(e.pid)...), 0), stringOf(e.tid)...)
	i, known := t.threadIDs[string(t.key)]
	if known {
		return t.threads[i]
	}
	if len(t.threads) >= maxThreads {
		t.left++
		return nil
	}
	t.threadIDs[string(t.key)] = len(t.threads)
	t.threads = append(t.threads, &thread{})
	return t.threads[len(t.threads)-1]
}

// name returns the number of a name; that of launchName over the limit.
func (t *trace) name(text []byte) uint32 {
	id, known := t.names[string(text)]
	if known {
		return id
	}
	if t.nameBytes > maxNames {
		t.left++
		return launchName
	}
	t.nameBytes += len(text) + 64
	id = uint32(len(t.texts))
	t.texts = append(t.texts, string(text))
	t.operators = append(t.operators, newOperatorName(string(text)))
	t.names[t.texts[id]] = id
	return id
}

// tensorList is tensors as an event has them: a list of sizes, of strides and of types.
type tensorList struct{ dims, strides, types []byte }

// addOperator adds an operator's event. record_shapes writes one element per argument of the operator into "Input Dims", "Input Strides" and
// "Input type"; numbers and lists of them are in "Concrete Inputs". What PyTorch's profiler does not record, the results of an operator,
// tlayout's module for Python adds: "Output Dims", "Output Strides" and "Output type".
func (t *trace) addOperator(e *rawEvent, begin, time int64) {
	var in, out tensorList
	var concrete []byte
	o := event{begin: begin, time: time, name: t.name(stringOf(e.name))}
	for {
		key, value, ok := e.args.member()
		if !ok {
			break
		}
		switch string(key) {
		case "External id", "external id":
			id, _ := integer(value)
			o.external = int64(id)
		case "Input Dims", "Input dims":
			in.dims = value
		case "Input Strides":
			in.strides = value
		case "Input type":
			in.types = value
		case "Output Dims":
			out.dims = value
		case "Output Strides":
			out.strides = value
		case "Output type":
			out.types = value
		case "Concrete Inputs":
			concrete = value
		}
	}
	t.hasOps = true
	t.hasDims = t.hasDims || in.dims != nil
	t.hasSteps = t.hasSteps || in.strides != nil
	o.signature = t.signature(in)
	o.outputs = t.signature(out)
	o.asks = t.asked(o.name, concrete)
	th := t.thread(e)
	if th == nil {
		return
	}
	th.add(t, o)
}

func (th *thread) add(t *trace, e event) {
	if t.events >= maxEvents {
		t.left++
		return
	}
	t.events++
	th.events = append(th.events, e)
}

// signature returns the number of an operator's operands, or results; 0 if there are none, or too many different ones.
func (t *trace) signature(l tensorList) uint32 {
	size := len(l.dims) + len(l.strides) + len(l.types)
	if size == 0 {
		return 0
	}
	if size > maxArgument {
		t.left++
		return 0
	}
	t.key = append(append(append(append(append(t.key[:0], l.dims...), 0), l.strides...), 0), l.types...)
	id, known := t.signatures[string(t.key)]
	if known {
		return id
	}
	if t.signatureBytes > maxSignatures {
		t.left++
		return 0
	}
	t.signatureBytes += size
	id = uint32(len(t.operands))
	t.signatures[string(t.key)] = id
	t.operands = append(t.operands, t.shapes.operands(l))
	return id
}

// asked returns the number of the sizes and strides that a view is asked for; 0 if the operator has none.
func (t *trace) asked(name uint32, concrete []byte) uint32 {
	view := t.operators[name].view
	if view == viewUnknown || len(concrete) == 0 || len(concrete) > maxArgument {
		return 0
	}
	arguments := membersOf(concrete)
	_, _ = arguments.value()
	shape, _ := arguments.value()
	var strides []byte
	if view == viewStrided {
		strides, _ = arguments.value()
	}
	t.key = append(append(append(t.key[:0], shape...), 0), strides...)
	id, known := t.views[string(t.key)]
	if known {
		return id
	}
	if t.signatureBytes > maxSignatures {
		t.left++
		return 0
	}
	t.signatureBytes += len(t.key)
	a := ask{}
	a.shape, _ = integers(stringOf(shape))
	a.strides, _ = integers(stringOf(strides))
	id = uint32(len(t.asks))
	t.views[string(t.key)] = id
	t.asks = append(t.asks, a)
	return id
}

// linkOf returns the identifiers of the operator and of the launch that a GPU's or a runtime's event names; 0 for none.
func linkOf(args *list) (external, correlation int64) {
	for {
		key, value, ok := args.member()
		if !ok {
			return external, correlation
		}
		switch string(key) {
		case "External id", "external id":
			id, _ := integer(value)
			external = int64(id)
		case "correlation":
			id, _ := integer(value)
			correlation = int64(id)
		}
	}
}

// addKernel adds a kernel's time by the operator that launched it, or by the launch: keys of launches are negative.
func (t *trace) addKernel(e *rawEvent, time int64) {
	external, correlation := linkOf(&e.args)
	k := kernel{external, float64(time) / 1e9}
	if external <= 0 {
		k.key = -correlation
	}
	if len(t.kernels) >= maxEvents {
		t.left++
		return
	}
	t.kernels = append(t.kernels, k)
}

// addLaunch adds a launch by its operator, or as an event inside one.
func (t *trace) addLaunch(e *rawEvent, begin int64) {
	external, correlation := linkOf(&e.args)
	if correlation <= 0 {
		return
	}
	if external <= 0 {
		th := t.thread(e)
		if th != nil {
			th.add(t, event{begin: begin, name: launchName, external: -correlation})
		}
		return
	}
	if len(t.launches) >= maxEvents {
		t.left++
		return
	}
	t.launches = append(t.launches, launch{correlation, external})
}

// sortKernels gives kernels the operators of their launches as keys, and makes one kernel of those with the same key, in order of keys.
func (t *trace) sortKernels() {
	slices.SortFunc(t.launches, func(a, b launch) int { return cmp.Compare(a.correlation, b.correlation) })
	for i := range t.kernels {
		k := &t.kernels[i]
		at, found := slices.BinarySearchFunc(t.launches, -k.key, func(l launch, c int64) int { return cmp.Compare(l.correlation, c) })
		if found && k.key < 0 {
			k.key = t.launches[at].external
		}
	}
	t.launches = nil
	slices.SortFunc(t.kernels, func(a, b kernel) int { return cmp.Compare(a.key, b.key) })
	all := t.kernels[:0]
	for _, k := range t.kernels {
		last := len(all) - 1
		if last >= 0 && all[last].key == k.key {
			all[last].seconds += k.seconds
			continue
		}
		all = append(all, k)
	}
	t.kernels = all
}

// onGPU returns the seconds of the kernels with a key, after sortKernels.
func (t *trace) onGPU(key int64) float64 {
	at, found := slices.BinarySearchFunc(t.kernels, key, func(k kernel, key int64) int { return cmp.Compare(k.key, key) })
	if !found || key == 0 {
		return 0
	}
	return t.kernels[at].seconds
}
