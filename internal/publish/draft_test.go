package publish

import (
	"os"
	"testing"
)

// TestNullDevice: writing to the null device keeps the device, with or without Replace, complete or not.
func TestNullDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Replace: true}, {Durable: true, Size: 3}} {
		f, err := Create(named(os.DevNull), o)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.WriteAt([]byte("abc"), 0); n != 3 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		if err := f.Commit(); err != nil {
			t.Error(err)
		}
	}
	f, err := Create(named(os.DevNull), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if after, err := os.Stat(os.DevNull); err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Errorf("the device became %v, %v", after, err)
	}
	if IsNull(named(t.TempDir())) {
		t.Error("a folder is taken for the null device")
	}
}

// TestNullDeviceDerived: a derived name that is a device is refused; only a name that the user gave may be the null device.
func TestNullDeviceDerived(t *testing.T) {
	for _, o := range []Options{{Derived: true}, {Derived: true, Replace: true}, {Derived: true, Update: true}} {
		if f, err := Create(named(os.DevNull), o); err == nil {
			f.Discard()
			t.Errorf("%+v: the null device takes the result", o)
		}
	}
	if Replaceable(named(os.DevNull)) == nil {
		t.Error("the null device is replaceable")
	}
}
