# make        builds ./tlayout
# make demo   does the main job on a real file
# make test   runs every test

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    := 50000x
FUZZ        := internal/tensor/npy:FuzzHeader internal/tensor/npy:FuzzDescr \
               internal/tensor/notation:FuzzLayoutName internal/tensor/notation:FuzzStridedNotation \
               internal/convert:FuzzPlan

.PHONY: build demo test lint race test-386 test-purego fuzz verify-torch clean

build:
	go build -o tlayout ./cmd/tlayout

# Inspects testdata/x.npy, converts it to NHWC and back, and proves that both hold the same tensor.
demo: build
	./testdata/demo.sh

test:
	go test ./...

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	GOOS=linux GOARCH=386 go vet ./...
	GOOS=linux GOARCH=arm64 go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./...
	go run $(STATICCHECK) ./...

race:
	go test -race ./...

test-386:
	GOARCH=386 go test ./...

test-purego:
	go test -tags purego ./...

# Each fuzz target for FUZZTIME, from its committed corpus on. It is a number of executions: with a time, go test now
# and then fails at its end with "context deadline exceeded", a fault of the tool that says nothing of the code.
fuzz:
	@for t in $(FUZZ); do \
	  echo "== $$t"; go test -run '^$$' -fuzz "^$${t#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "./$${t%:*}" || exit 1; \
	done

# Compares the model with torch itself on random layouts. Installs torch from Debian.
verify-torch:
	/usr/bin/python3 -c 'import torch, numpy' 2>/dev/null || { apt-get update && apt-get install -y python3-torch python3-numpy; }
	TLAYOUT_TEST_REQUIRE_TORCH=1 TLAYOUT_TORCH_CASES=200000 go test -count=1 -run Torch -v -timeout 30m ./internal/tensor

clean:
	rm -f tlayout
