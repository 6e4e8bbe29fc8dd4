package torch

import "github.com/tlayout/tlayout/internal/file/pickle"

// A page has no folder whose rank files it could put together, and does without DTensors, which cost it kilobytes.

func isDTensor(string, []pickle.Value) bool { return false }

func (r *reader) dtensor([]pickle.Value, []pickle.Value) (*rebuilt, error) { return other, nil }
