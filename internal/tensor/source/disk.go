package source

// The data by way of the disk, for what is larger than memory: a map that is touched here and there has pages read one
// by one, and others thrown out for pages around them that nobody asked for. Offsets are bytes of the data.

// Resident reports whether a byte can be had without waiting for the disk; true where that is not known.
func (t *Tensor) Resident(at int) bool {
	return t.bytes == nil || t.bytes.resident(t.Header.DataOffset+int64(at))
}

// Fetch begins to read bytes from one up to another, and does not wait for them.
func (t *Tensor) Fetch(from, to int) { t.bytes.fetch(t.Header.DataOffset+int64(from), int64(to-from)) }

// Forget gives back the memory in which the system keeps bytes that it was asked to read.
func (t *Tensor) Forget(from, to int) {
	t.bytes.forget(t.Header.DataOffset+int64(from), int64(to-from))
}

// Read reads len(p) bytes. Errors are fault.Resource.
func (t *Tensor) Read(p []byte, from int) error {
	return t.bytes.fill(p, t.Header.DataOffset+int64(from))
}
