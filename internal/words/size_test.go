package words

import "testing"

func TestFormats(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 5120: "5120 bytes", 10239: "10239 bytes", 10240: "10 KiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB", 1 << 62: "4 EiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, expected %q", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0.00 s", 1.25: "1.25 s", 0.0295: "29.5 ms", 29.5e-6: "29.5 µs", 3e-9: "3.00 ns",
		0.9996: "1.00 s", 999.4e-6: "999 µs", 999.6e-6: "1.00 ms", 90: "90.0 s", 119.9: "120 s", 120: "2.00 minutes"} {
		if got := Seconds(s); got != want {
			t.Errorf("Seconds(%g) = %q, expected %q", s, got, want)
		}
	}
}
