package promise

// List has all promises. Add a row together with the test of its trials: `make faults` runs the tests named here.
var List = []Promise{
	{"B1", "Whatever bytes are read, the answer is a result or a clear error: no crash, no hang.", []Trial{
		{"B1/missing-file", "a file that is missing, empty, garbage, truncated, a folder, a loop of links, or too long a name, in every argument that names a file", "cmd/tlayout.TestHostileNames"},
		{"B1/open-files", "a low limit on open files", "cmd/tlayout.TestFewOpenFiles"},
		{"B1/command-line", "a random command line: every command and flag, with valid, nearly valid and random values", "cmd/tlayout.TestCommandLines"},
		{"B1/damaged-file", "a .npy, .npz, .pt, .safetensors or GGUF file with some bytes changed, read by every command", "cmd/tlayout.TestDamagedFiles"},
	}},
	{"B2", "No input makes a command use more than 5 s of CPU time or 256 MiB, and a fixed share for each tensor and byte of a pickle, unless an option allows it.", []Trial{
		{"B2/bounds", "a command on sizes of 10^18, 64 dims, prime blocks, 20,000 tensors, a million tensors, or a pickle of 40 million objects or references", "cmd/tlayout.TestBounds"},
	}},
	{"B3", "A file shorter than its header declares is refused before its data is read.", []Trial{
		{"B3/prefix", "the first n bytes of a .npy, .npz, .pt, .safetensors or GGUF file", "cmd/tlayout.TestPrefixes"},
	}},
	{"B4", "An output is absent, old or new, never torn, and a failed write is reported.", []Trial{
		{"B4/kill-call", "kill -9 at a system call that changes something", "cmd/tlayout.TestKilledAtEveryCall"},
		{"B4/kill-random", "kill -9 at a random time", "cmd/tlayout.TestKilledAnyTime"},
		{"B4/kill-publish", "kill -9 at a system call of the publisher", "internal/publish.TestKill"},
		{"B4/signal-call", "SIGINT, SIGTERM or SIGHUP at a system call: the program ends by that signal and removes its draft", "cmd/tlayout.TestSignalAtEveryCall"},
		{"B4/signal-random", "SIGINT, SIGTERM or SIGHUP at a random time", "cmd/tlayout.TestSignalAnyTime"},
		{"B4/signal-twice", "several signals at once", "cmd/tlayout.TestSignalTwice"},
		{"B4/errno", "the n-th system call of each kind fails", "cmd/tlayout.TestFailingCalls"},
		{"B4/errno-publish", "the n-th system call of each kind fails in the publisher", "internal/publish.TestErrno"},
		{"B4/disk", "the disk has room for some pages of the output", "cmd/tlayout.TestFullDisk"},
		{"B4/disk-publish", "the disk has room for some pages of the publisher's output", "internal/publish.TestFullDisk"},
		{"B4/rlimit", "RLIMIT_FSIZE or RLIMIT_AS is too small", "cmd/tlayout.TestLimits"},
		{"B4/full-device", "standard output is /dev/full", "cmd/tlayout.TestFullDevice"},
		{"B4/sigpipe", "the reader of standard output has exited", "cmd/tlayout.TestBrokenPipe"},
		{"B4/race-replace", "three programs replace one output at once: the last wins", "cmd/tlayout.TestWritersReplaceTogether"},
		{"B4/race-read", "the output is read while programs replace it", "cmd/tlayout.TestWritersReplaceTogether"},
		{"B4/race-new", "three programs create one output at once: one wins", "cmd/tlayout.TestOneWriterWins"},
	}},
	{"B5", "Exit code 0 of convert --durable, and of every replacement, means that the output survives a power cut.", []Trial{
		{"B5/power-after", "power cut after exit code 0", "cmd/tlayout.TestPowerCut"},
		{"B5/power-during", "power cut at a random time: absent, old or new", "cmd/tlayout.TestPowerCut"},
		{"B5/order", "data, name and folder are synced in this order", "cmd/tlayout.TestDurableOrder"},
	}},
	{"B6", "Nothing is left beside the output, on Linux even after kill -9.", []Trial{
		{"B6/kill", "kill -9 where a draft needs no name", "cmd/tlayout.TestKilledAtEveryCall"},
		{"B6/kill-random", "kill -9 at a random time where a draft needs no name", "cmd/tlayout.TestKilledAnyTime"},
	}},
	{"B7", "The input is never lost, even if it is also the output, and a folder that came with data never determines the output.", []Trial{
		{"B7/same", "the output is an input of the command (a source, a file of an index, a list, a baseline, a settings file), by its name, another path, a hard or symbolic link, a linked folder or /proc/self/fd, in every way that writes, with and without --force and --update", "cmd/tlayout.TestOutputIsInput"},
		{"B7/prepared", "the output folder contains links, including dangling and looping ones, pipes, devices, folders or a journal", "cmd/tlayout.TestPreparedFolder"},
	}},
	{"B8", "An input that changes while it is read causes an error, not a crash or a wrong result.", []Trial{
		{"B8/truncate", "the input is truncated or rewritten at a random time while the program is stopped", "cmd/tlayout.TestInputChanges"},
	}},
	{"B9", "Every bit of every element arrives.", []Trial{
		{"B9/numpy", "a random conversion equals NumPy's, byte by byte", "internal/convert.TestAgainstNumPy"},
	}},
	{"B10", "Text from files never reaches the terminal raw.", []Trial{
		{"B10/names", "a damaged file with control characters in its name", "cmd/tlayout.TestHostileNames"},
		{"B10/names-errno", "the same, with a failing system call", "cmd/tlayout.TestHostileNamesFailingCalls"},
		{"B10/files", "a file name that a terminal, a spreadsheet, a Markdown renderer or a CI runner might interpret, in every format", "cmd/tlayout.TestHostileFileNames"},
		{"B10/inside", "the same for names inside a .npy, .npz, .pt, .safetensors or GGUF file", "cmd/tlayout.TestHostileInside"},
	}},
	{"B11", "Many sources, and many programs at once, are as safe as one.", []Trial{
		{"B11/sources", "one of 10,000 sources of convert, check or inspect in one call, with at most 64 open files", "cmd/tlayout.TestTenThousandSources"},
		{"B11/folder", "one of 1,000 programs that convert into one folder at once, two for each source", "cmd/tlayout.TestOneFolderForMany"},
	}},
}

// Witnesses has all comparisons with other libraries: `make conformance` runs the tests named here.
var Witnesses = []Promise{
	{"W1", "NumPy, on the same bytes.", []Trial{
		{"W1/conversions", "a random conversion, byte by byte", "internal/convert.TestAgainstNumPy"},
		{"W1/properties", "a random array: flags, bounds, overlap, addresses, whether a reshape copies", "internal/tensor.TestAgainstNumPy"},
		{"W1/chains", "a random chain of view operations, compared after each", "internal/framework/trace.TestAgainstNumPy"},
		{"W1/headers", "a random .npy header, half of them damaged: the same type, shape and order, or both refuse it", "internal/file/npy.TestRandomHeadersAgainstNumPy"},
		{"W1/single-bytes", "a NumPy header with one byte changed", "internal/file/npy.TestSingleBytesAgainstNumPy"},
		{"W1/files", "a whole .npy or .npz file, sound or damaged: the same names, types, shapes and elements, or both refuse it", "internal/file/source.TestFilesAgainstNumPy"},
		{"W1/converted", "a .npy file that convert made from one of NumPy's: its elements, and the whole file, compared with np.save's", "cmd/tlayout.TestNumPy"},
		{"W1/archives", "an array of an .npz file, converted, and read by the np.memmap call that inspect prints", "cmd/tlayout.TestNpzAgainstNumPy"},
	}},
	{"W2", "PyTorch.", []Trial{
		{"W2/properties", "a random tensor: contiguity in every memory format, strides from clone, view, expand and to, error messages", "internal/tensor.TestAgainstTorch"},
		{"W2/channels-last", "a random tensor: whether its strides are like channels_last", "internal/tensor.TestLikeChannelsLastAgainstTorch"},
		{"W2/chains", "a random chain of view operations and operators, compared after each", "internal/framework/trace.TestAgainstTorch"},
		{"W2/checkpoints", "a random checkpoint saved by PyTorch: tensors, storages, elements, and whether weights_only accepts it", "internal/file/torch.TestTorch"},
		{"W2/written", "a written state dict, loaded with weights_only and without", "internal/file/torch.TestWrittenIsLoaded"},
		{"W2/models", "a checkpoint converted to channels_last, loaded, and as .npz", "internal/command/convertcmd.TestWholeIsLoaded"},
	}},
	{"W3", "oneDNN.", []Trial{
		{"W3/descriptors", "the descriptor of a tag: strides, padded sizes, offset of each element", "internal/framework.TestOneDNN"},
		{"W3/reorders", "a reorder of a random buffer of f32, s32, bf16, f16, s8 or u8 between two tags, byte by byte, padding included", "internal/convert.TestReordersLikeOneDNN"},
	}},
	{"W4", "safetensors and gguf, or Python code written from the formats' specifications.", []Trial{
		{"W4/safetensors", "a random .safetensors file, read, and written again", "internal/file/safetensors.TestAgainstNumPy"},
		{"W4/gguf", "a random GGUF file, read", "internal/file/gguf.TestAgainstNumPy"},
	}},
}
