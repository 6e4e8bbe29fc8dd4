package source

import (
	"encoding/binary"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/words"
)

// otherFormat says which well-known format a file has that is neither .npy nor named as an archive; nil if none is recognized.
// Errors are fault.Unsupported.
func (b *input) otherFormat(name string) error {
	var head [9]byte
	var e *fault.Error
	err := b.Guard(func() error {
		n, _ := b.ReadAt(head[:], 0) // what cannot be read is not recognized
		switch begins := string(head[:n]); {
		case strings.HasPrefix(begins, "PK\x03\x04"):
			e = b.zipFormat()
		case strings.HasPrefix(begins, "\x80\x02"), strings.HasPrefix(begins, "\x80\x04"):
			e = fault.New(fault.Unsupported, "a pickle, not a .npy file; a PyTorch checkpoint?").WithHint(fromTorch)
		case n == len(head) && head[8] == '{' && binary.LittleEndian.Uint64(head[:]) < uint64(b.Size()):
			// 8 bytes of length, then a JSON header (safetensors 0.4, README, section Format)
			e = fault.New(fault.Unsupported, "a safetensors file, not a .npy file").
				WithHint(`in Python: np.savez("x.npz", **safetensors.numpy.load_file(…))`)
		}
		return nil
	})
	if err != nil || e == nil {
		return err
	}
	return fault.In(words.Quoted(name), e)
}

const fromTorch = `in Python: np.savez("x.npz", **{k: v.numpy() for k, v in torch.load(…).items()})`

// zipFormat tells zip archives apart by their members. torch.save writes one with a member data.pkl in a folder (PyTorch 1.13,
// torch/serialization.py).
func (b *input) zipFormat() *fault.Error {
	a, err := npz.Open(b, b.Size())
	if err != nil {
		return fault.New(fault.Unsupported, "a zip archive, not a .npy file; a PyTorch checkpoint?")
	}
	for _, m := range a.Members {
		switch {
		case strings.HasSuffix(m.Name, "/data.pkl"):
			return fault.New(fault.Unsupported, "a PyTorch checkpoint, which is a zip archive, not a .npy file").WithHint(fromTorch)
		case strings.HasSuffix(m.Name, ".npy"):
			return fault.New(fault.Unsupported, "a .npz archive, but its name does not end in .npz").
				WithHint("rename it: x.npz; x.npz:%s is one of its arrays", words.Quote(m.Key()))
		}
	}
	return fault.New(fault.Unsupported, "a zip archive, not a .npy file")
}
