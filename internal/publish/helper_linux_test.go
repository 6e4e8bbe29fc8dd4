package publish

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary is also a small program that publishes one file, so that it can be killed. This variable holds its orders, words that end
// with an output path: replace, durable, named, reserve, nobody, small.
const helperVar = "TLAYOUT_PUBLISH_HELPER"

// The program checks access to these names, which marks the calls for the output in a trace.
const (
	markBegin = "/tlayout-test-begin"
	markEnd   = "/tlayout-test-end"
)

const (
	helperPieces = 3
	helperSize   = helperPieces * 40_000 // bytes
)

// helperText is what the program writes.
var helperText = strings.Repeat("new ", helperSize/4)

func init() {
	if os.Getenv(helperVar) != "" {
		runtime.LockOSThread() // strace counts calls by thread
	}
}

func TestMain(m *testing.M) {
	if orders := os.Getenv(helperVar); orders != "" {
		os.Exit(helper(strings.Fields(orders)))
	}
	os.Exit(m.Run())
}

// helper is the program. It returns 0 or, with a line on standard error, 5.
func helper(orders []string) int {
	path, begin, o := orders[len(orders)-1], (*target).draft, Options{}
	for _, word := range orders[:len(orders)-1] {
		switch word {
		case "replace":
			o.Replace = true
		case "durable":
			o.Durable = true
		case "reserve":
			o.Size = helperSize
		case "named":
			begin = (*target).named
		case "nobody":
			check(syscall.Setgroups(nil), syscall.Setresgid(65534, 65534, 65534), syscall.Setresuid(65534, 65534, 65534))
		case "small":
			check(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: helperSize / 2, Max: helperSize / 2}))
		default:
			panic(word)
		}
	}
	unix.Access(markBegin, 0) //nolint:errcheck // the name does not exist
	err := helperPublish(path, o, begin)
	unix.Access(markEnd, 0) //nolint:errcheck // the name does not exist
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 5
	}
	return 0
}

func helperPublish(path string, o Options, begin opener) error {
	f, err := create(named(path), o, begin)
	if err != nil {
		return err
	}
	defer f.Discard()
	for at := 0; at < helperSize; at += helperSize / helperPieces {
		if _, err := f.Write([]byte(helperText[at : at+helperSize/helperPieces])); err != nil {
			return err
		}
	}
	return f.Commit()
}

func check(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}
