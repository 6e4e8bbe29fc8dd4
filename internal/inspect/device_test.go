package inspect

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
)

// TestDevice: the headline of a described tensor names its device, NumPy does not read that of a GPU, and nothing but PyTorch one without memory.
func TestDevice(t *testing.T) {
	for _, c := range []struct {
		device, headline, numpy string
		dlpack                  bool
	}{
		{"", "C-contiguous", "", true},
		{"cpu", "C-contiguous", "", true},
		{"cuda:0", "on cuda:0", "the tensor is on cuda:0, not in the CPU's memory", true},
		{"meta", "on meta", "the tensor is on meta: it has no memory", false},
	} {
		document := `{"schema":"tlayout/tensor/v1","dtype":"<f4","shape":[2,3],"strides":[3,1],"unit":"elements","storage_offset":0,` +
			`"storage":{"id":"1","bytes":24,"device":"` + c.device + `"}}`
		set, _, err := source.Open(name.Parse("-"), source.Options{FromJSON: true, Stdin: strings.NewReader(document)})
		if err != nil {
			t.Fatal(err)
		}
		x, err := set.Tensor(0, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := New(x)
		if numpy := r.AcceptedBy["numpy"]; !strings.HasSuffix(r.Headline(), c.headline) || numpy.Why != c.numpy || numpy.OK != (c.numpy == "") {
			t.Errorf("%s: %s, NumPy %+v", c.device, r.Headline(), numpy)
		}
		if !r.AcceptedBy["pytorch"].OK || r.AcceptedBy["dlpack"].OK != c.dlpack {
			t.Errorf("%s: PyTorch %+v, DLPack %+v", c.device, r.AcceptedBy["pytorch"], r.AcceptedBy["dlpack"])
		}
		set.Close()
	}
}
