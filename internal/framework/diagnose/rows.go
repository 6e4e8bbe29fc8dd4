package diagnose

import (
	"fmt"
	"strconv"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
)

// elementType matches an element type in a text: Float16, int32.
var elementType = lazy.Regexp(`(?i)(?:float|int)_?(8|16|32|64)`)

// paddedRows answers an array whose rows Core ML padded for the Neural Engine. A type that the text lacks is float16 or float32, whichever fits.
func paddedRows(c *complaint) (Answer, bool) {
	s, ok := c.strided()
	if !ok {
		return Answer{}, false
	}
	sizes := []int{16, 32}
	found := elementType.Get().FindStringSubmatch(c.around)
	if found != nil {
		bits, _ := strconv.Atoi(found[1])
		sizes = []int{bits}
	}
	for _, bits := range sizes {
		row, pitch, ok := s.PaddedRows(bits, tensor.NeuralEngineRow)
		if !ok {
			continue
		}
		item := bits / 8
		return Answer{
			What: fmt.Sprintf("rows of %d elements begin every %d: of %d bytes each, %d bytes are padded to %d, a multiple of %d", row/item, pitch/item, item, row, pitch,
				tensor.NeuralEngineRow),
			Same:     tensor.No,
			Commands: []string{command("inspect", s) + fmt.Sprintf(" --dtype float%d", bits)},
		}, true
	}
	return Answer{}, false
}
