package source

import (
	"bytes"
	"encoding/json"
)

// SplitSuffix ends the name of the manifest of a tensor that is split.
const SplitSuffix = ".tensor.json"

// splitSchema names the manifest's format and its version.
const splitSchema = "tlayout/split/v1"

// SplitRecord is the manifest of a tensor that is split into several .npy files: their arrays, side by side along one axis, are an
// array that would be too large for one file.
//
//	axis 0  |  x.00000-of-00003.nhwc.npy  |  x.00001-of-00003.nhwc.npy  |  x.00002-…  |
//	        begin                        end = begin                              size of the axis
type SplitRecord struct {
	Schema string      `json:"schema"`
	Whole  ArrayRecord `json:"whole"`
	Axis   int         `json:"split_axis"`
	Files  []SplitFile `json:"pieces"`
}

// SplitFile is one of the files, beside the manifest, and the values of the axis that it holds, from Begin to End, exclusive.
type SplitFile struct {
	Name  string `json:"file_name"`
	Begin int    `json:"begin"`
	End   int    `json:"end"`
}

// NewSplitRecord is the manifest of an array that is split along an axis, in no files yet.
func NewSplitRecord(whole ArrayRecord, axis int) SplitRecord {
	return SplitRecord{Schema: splitSchema, Whole: whole, Axis: axis}
}

// JSON is the manifest as it is written.
func (r SplitRecord) JSON() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // a SplitRecord holds nothing that JSON cannot
	}
	return out.Bytes()
}
