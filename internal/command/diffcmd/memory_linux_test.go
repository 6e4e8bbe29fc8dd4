package diffcmd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// fileMiB returns the memory of this process in mapped files.
func fileMiB(t *testing.T) int {
	t.Helper()
	status := fixture.Must(os.ReadFile("/proc/self/status"))
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this system does not tell the memory in mapped files")
	}
	return fixture.Must(strconv.Atoi(string(found[1]))) >> 10
}

// TestMappedMemory: tensors that were compared, and read for their elements, take no memory, however many there are and however small.
func TestMappedMemory(t *testing.T) {
	const total = 96 << 20
	for _, size := range []int{4 << 20, 48 << 10} {
		t.Run(text.Bytes(int64(size)), func(t *testing.T) { compareMapped(t, total/size, size) })
	}
}

// compareMapped compares archives of so many tensors of size bytes.
func compareMapped(t *testing.T, tensors, size int) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b"} {
		var header strings.Builder
		for i := range tensors {
			fmt.Fprintf(&header, `,"%s%d":{"dtype":"F32","shape":[1024,%d],"data_offsets":[%d,%d]}`, []string{"t", name}[i%2], i, size>>12, i*size, (i+1)*size)
		}
		text := "{" + header.String()[1:] + "}"
		f := fixture.Must(os.Create(name + ".safetensors"))
		fixture.Must(f.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text)))))
		fixture.Must(f.WriteString(text))
		cli.Must(f.Truncate(int64(8 + len(text) + tensors*size)))
		cli.Must(f.Close())
	}
	d := newDiffer(&cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer)}, Stdout: io.Discard}, &options{limit: 10, sources: name.ParseAll([]string{"a.safetensors", "b.safetensors"})})
	fixture.Must(d.match())
	defer d.inputs[0].close()
	defer d.inputs[1].close()
	before := fileMiB(t)
	var all []tensorReport
	for _, name := range d.union() {
		all = append(all, fixture.Must(d.compareNamed(name, name, notSearched)))
	}
	d.byContents(all)
	if more := fileMiB(t) - before; more > 16 {
		t.Errorf("%d MiB of %d are in memory", more, 2*tensors*size>>20)
	}
}
