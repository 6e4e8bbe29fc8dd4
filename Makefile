# make        builds ./tlayout
# make demo   converts a real file and back
# make test   runs the tests in about two minutes, with a sample of the long trials and without a browser; .ci/run runs all

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GORELEASER  := github.com/goreleaser/goreleaser/v2@v2.14.3
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# Executions of each fuzz target. A duration such as 10m fails now and then with "context deadline exceeded", a fault of go test.
FUZZTIME    := 50000x
# Fuzz targets that take minutes to build or to run; go test runs their corpora, and TLAYOUT_TEST_COMMAND_LINES random cases
FUZZSLOW    := internal/relate:FuzzFind internal/file/source:FuzzOpen internal/file/document:FuzzRecord internal/command/offsetcmd:FuzzCoord \
               cmd/tlayout:FuzzCommandLine cmd/tlayout:FuzzFile cmd/tlayout:FuzzSettings cmd/tlayout:FuzzFlagValue
# All others, as package:name
FUZZ         = $(filter-out $(FUZZSLOW),$(shell grep -roE --include='*_test.go' '^func Fuzz[A-Za-z]+' cmd internal layout | sed 's|/[^/]*:func |:|' | sort))

# Packages whose assembly _asm generates
ASSEMBLY    := internal/convert/kernel internal/bench/reader
# Slow tests, run by make test only
SLOW        := 'HelpExamples|Browser|Killed|Signal|HostileNames|Terminals|TypedAnything'
# Tests of the program that move data on several cores
MOVING      := 'TestScripts/(convert|cpu|verify|diff|dry_run|bench$$)|TestRoundTrip|Concurrent'
# Packages that run kernels; the commands depend on them
KERNELS     := ./internal/convert/... ./internal/bench/... ./internal/relate/diff ./internal/relate/pairing
# Packages with goroutines, shared state, or pointers that -race checks: the others are sequential
SHARING      = $(shell { grep -rlE '"sync|"unsafe"|go func|convert[.]Parallel' --include='*.go' --exclude='*_test.go' internal; \
                        grep -rlE '"sync|"unsafe"' --include='*_test.go' internal; } | xargs -n1 dirname | sort -u | sed 's|^|./|')
# Random times at which make faults interrupts each command
FAULTS      := 50
# Environment with newer libraries than Debian's, and which ones make witnesses installs: all or small
WITNESSES   ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tlayout/witnesses
SET         := all
# Random cases of each comparison of make conformance
CASES       := 100000
PEERS       := internal/convert/testdata/peers
# Rounds per row, and the benchmarks of make bench; the level of make peers, avx2 or the highest, and more flags for marks.py:
# make peers LEVEL=avx2 MARKS='--runs 1 --rows "14x14 4 B"'
SAMPLES := 5
BENCH   := Convert|Small
MARKS   :=
LEVEL   :=
# Folder for the files of make marks-files, 6 GiB
FOLDER  := $(or $(TMPDIR),/tmp)

.PHONY: build cloud web site demo test screens lint race test-386 test-purego test-cpu test-arm64 fuzz faults stale witnesses conformance verify-npm \
        verify-web verify-cachegrind verify-cloud verify-slurm verify-kubernetes verify-beam generate generate-check bench peers marks-files vulncheck release release-snapshot verify-release wheel verify-wheel clean

build:
	CGO_ENABLED=0 go build -o tlayout ./cmd/tlayout

# Builds ./tlayout-cloud, the program with object storage (s3://, gs://, azblob://), from a separate module. See docs/cloud.md.
cloud:
	cd cloud && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o ../tlayout-cloud ./cmd/tlayout

# Builds the page in SITE, whose links to documents need make site. Compressed, the program is a fifth smaller without inlining, and a tenth
# without the names of functions and lines. ADDRESS is the site's on the web; the program has at most as many bytes, compressed with brotli and
# with gzip.
SITE    := _site
ADDRESS := https://tlayout.github.io/tlayout/
BROTLI  := 3300000
GZIP    := 4700000
# Files that the page has without the reader's: the list of web/given.js
SAMPLES_OF_PAGE := x.npy photo.npy weights.npz model.pt
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
web:
	mkdir -p $(SITE)
	CGO_ENABLED=0 GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -gcflags=all=-l \
	  -ldflags '-s -w -buildid= -X github.com/tlayout/tlayout/internal/command/cli.release=$(VERSION)' -o $(SITE)/tlayout.wasm ./cmd/tlayout
	go run ./internal/shrink $(SITE)/tlayout.wasm
	cp web/*.css $(filter-out %_test.js,$(wildcard web/*.js)) "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(SITE)
	cp internal/render/page/page.css $(SITE)/picture.css
	cp internal/render/page/pointing.js $(SITE)
	internal/manual/licenses.sh . $(SITE)/THIRD_PARTY.txt
	mkdir -p $(SITE)/files
	cp $(SAMPLES_OF_PAGE:%=testdata/%) $(SITE)/files
	sed "s/data-bytes=\"0\"/data-bytes=\"$$(($$(wc -c <$(SITE)/tlayout.wasm)))\"/" web/index.html >$(SITE)/index.html
	web/offline.sh $(SITE)

# Tests the page: its answers beside the program's, in node; in Chromium, whose screenshots stay in $(FOLDER)/_artifacts, with axe-core, and in
# Firefox; and its size. What a large file takes of memory is measured alone. Installs node, Chromium, Firefox and brotli from Debian, and axe-core
# into a temporary folder.
verify-web: site
	{ node --version && npm --version && brotli --version && chromium --version && firefox-esr --version; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y nodejs npm brotli chromium firefox-esr fonts-dejavu-core; }
	tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	npm install --prefix "$$tmp" --no-audit --no-fund --no-save --ignore-scripts axe-core@4.14.1 && \
	export TLAYOUT_TEST_REQUIRE_CHROMIUM=1 TLAYOUT_TEST_REQUIRE_FIREFOX=1 TLAYOUT_TEST_SITE="$(abspath $(SITE))" \
	  TLAYOUT_TEST_AXE="$$tmp/node_modules/axe-core/axe.min.js" && \
	go test -count=1 -v -run 'Web$$' ./cmd/tlayout && \
	go test -count=1 -v -run BrowserFiles ./web && \
	go test -count=1 -v -run 'Site|Browser' -skip BrowserFiles -artifacts -outputdir $(FOLDER) ./web
	brotli=$$(brotli -q 11 --lgwin=24 -c $(SITE)/tlayout.wasm | wc -c) && gzip=$$(gzip -9c $(SITE)/tlayout.wasm | wc -c) && \
	  echo "tlayout.wasm: $$brotli bytes with brotli, of $(BROTLI); $$gzip with gzip, of $(GZIP)" && \
	  test $$brotli -le $(BROTLI) && test $$gzip -le $(GZIP)

# Inspects testdata/x.npy, converts it to NHWC and back, and proves that both hold the same tensor.
demo: build
	./testdata/demo.sh

test:
	go test -timeout 30m ./...

# Builds the site in SITE: the page of make web; the documents in SITE/docs, by Material for MkDocs from PyPI, which it installs into MKDOCS;
# and in SITE/q a page for each question, whose answers ./tlayout prints, by node.
MKDOCS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tlayout/mkdocs
site: build web $(MKDOCS)/requirements.txt
	node --version >/dev/null 2>&1 || { apt-get update && apt-get install -y nodejs; }
	TLAYOUT_SITE_VERSION="tlayout $(or $(VERSION),devel)" TLAYOUT_SITE_ADDRESS="$(ADDRESS)docs/" NO_MKDOCS_2_WARNING=1 \
	  "$(MKDOCS)/bin/mkdocs" build -f site/mkdocs.yml -d "$(abspath $(SITE))/docs"
	rm "$(SITE)/docs/404.html" "$(SITE)"/docs/sitemap.xml* # a server asks for those of the site's root
	node site/pages.js ./tlayout "$(SITE)" "$(ADDRESS)"
	web/offline.sh $(SITE)

$(MKDOCS)/requirements.txt: site/requirements.txt
	python3 -m venv --clear "$(MKDOCS)"
	"$(MKDOCS)/bin/pip" --disable-pip-version-check install --quiet --no-deps -r site/requirements.txt
	cp site/requirements.txt "$@"

# Tests pages in Chromium, installed from Debian, and keeps screenshots in $(FOLDER)/_artifacts.
screens:
	chromium --version >/dev/null 2>&1 || { apt-get update && apt-get install -y chromium fonts-dejavu-core; }
	TLAYOUT_TEST_REQUIRE_CHROMIUM=1 go test -count=1 -run Browser -v -artifacts -outputdir $(FOLDER) ./internal/chromium ./internal/render/page

# The tests build for linux/386 and linux/arm64. The last line counts how densely the Go is written: no figure of cmd/tlayout/testdata/dialect.txt
# may grow.
lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	GOOS=linux GOARCH=s390x go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./...
	go run $(STATICCHECK) ./...
	go run $(ACTIONLINT) -shellcheck= -pyflakes=
	go test -count=1 -v -run TestDialect ./cmd/tlayout

# These skip the slow tests, which do not depend on the build: help examples measure whole tensors, and a browser runs the page. They run
# only scripts that move data: each process takes seconds under the race detector.
test-386 test-purego test-cpu: export TLAYOUT_TEST_RANDOM_CASES = 5000
race: export TLAYOUT_TEST_RANDOM_CASES = 1500
race:
	go test -race -timeout 20m -skip $(SLOW) $(SHARING)
	go test -race -timeout 20m -run $(MOVING) ./cmd/tlayout

test-386:
	GOARCH=386 go test -timeout 30m -skip $(SLOW) ./...

test-purego:
	go vet -tags purego ./...
	go test -timeout 30m -tags purego -skip $(SLOW) $(KERNELS) ./internal/command/...
	go test -timeout 30m -tags purego -run $(MOVING) ./cmd/tlayout

# Runs once per kernel level below the best, with the commands that move data. The program reads the level from the environment before
# go test records such reads, so a cached result could be of another level: -count=1.
test-cpu:
	for level in generic avx2; do \
	  TLAYOUT_CPU=$$level TLAYOUT_TEST_REQUIRE=$$level go test -count=1 -timeout 30m -skip $(SLOW) $(KERNELS) && \
	  TLAYOUT_CPU=$$level go test -count=1 -timeout 30m -run $(MOVING) ./cmd/tlayout || exit 1; \
	done

# Runs the arm64 kernels, conversions with them, and the readers of bench, which are plain Go there, in an emulator from Debian.
test-arm64: export GOARCH = arm64
test-arm64: export TLAYOUT_TEST_REQUIRE = neon
test-arm64: export TLAYOUT_TEST_RANDOM_CASES = 1500
test-arm64:
	qemu-aarch64-static --version >/dev/null 2>&1 || { apt-get update && apt-get install -y qemu-user-static; }
	go test -count=1 -exec qemu-aarch64-static -skip TestWays ./internal/convert/kernel ./internal/bench/reader
	go test -count=1 -exec qemu-aarch64-static -run 'RandomConversions|PlansStayInside|EveryPair|Parallel' ./internal/convert

# Runs each target of FUZZ. Long: make fuzz FUZZTIME=10000000x. Those that take minutes: make fuzz FUZZ='$(FUZZSLOW)' FUZZTIME=1000x.
fuzz:
	@for target in $(FUZZ); do echo "== $$target" && \
	  go test -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x -timeout 0 "./$${target%:*}" || exit 1; done

# Prints which versions that claims, witnesses and this file name are older than the newest of PyPI, npm or the Go proxy, in minutes. Changes nothing.
stale:
	python3 internal/framework/testdata/stale.py

# Installs NumPy, PyTorch, safetensors, gguf and other libraries from PyPI into WITNESSES, in the versions of internal/oracle/witnesses.txt,
# and prints their sizes: 6.4 GB in two minutes, or 85 MB in seconds with SET=small. TLAYOUT_TEST_PYTHON=$(WITNESSES)/bin/python makes any
# test use them instead of Debian's.
witnesses:
	internal/oracle/witnesses.sh $(SET) "$(WITNESSES)"

# Compares with NumPy, PyTorch, safetensors, gguf, einops and oneDNN, in Debian's versions and those of make witnesses. Takes hours, minutes
# with CASES=5000.
conformance: export TLAYOUT_TEST_REQUIRE_NUMPY = 1
conformance: export TLAYOUT_TEST_REQUIRE_TORCH = 1
conformance: export TLAYOUT_TEST_EXHAUSTIVE = 1
conformance: export TLAYOUT_TEST_NUMPY_CASES = $(CASES)
conformance: export TLAYOUT_TEST_TORCH_CASES = $(CASES)
conformance: export TLAYOUT_TEST_CHECKPOINT_CASES = $(CASES)
conformance: export TLAYOUT_TEST_EINOPS_CASES = $(CASES)
conformance: COMPARE = go test -count=1 -v -timeout 12h -run
conformance: witnesses
	{ /usr/bin/python3 -c 'import numpy, torch' && g++ --version && test -e /usr/include/oneapi/dnnl/dnnl.hpp; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y python3-numpy python3-torch libdnnl-dev g++; }
	for python in /usr/bin/python3 "$(WITNESSES)/bin/python"; do \
	  TLAYOUT_TEST_PYTHON="$$python" $(COMPARE) 'NumPy|Torch|Loaded|TestPython|TestLive$$|Repairs|SharedWarning' ./... || exit 1; done
	TLAYOUT_TEST_PYTHON="$(WITNESSES)/bin/python" TLAYOUT_TEST_REQUIRE_EINOPS=1 $(COMPARE) AgainstEinops ./internal/framework/trace
	TLAYOUT_TEST_REQUIRE_ONEDNN=1 TLAYOUT_TEST_ONEDNN_ROUNDS=5 $(COMPARE) OneDNN ./internal/convert ./internal/framework

# npm trusts the machine's certificates, as Go does.
verify-web verify-npm verify-cloud: export NODE_EXTRA_CA_CERTS ?= /etc/ssl/certs/ca-certificates.crt

# Compares the contents of safetensors and GGUF files with npm's @huggingface/hub and @huggingface/gguf, for files written by Python and by
# tlayout. Installs the packages into a temporary folder, and node from Debian.
verify-npm:
	{ node --version && npm --version && /usr/bin/python3 -c 'import numpy'; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y nodejs npm python3-numpy; }
	tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	npm install --prefix "$$tmp" --no-audit --no-fund --no-save --ignore-scripts @huggingface/hub@2.17.5 @huggingface/gguf@0.4.6 && \
	TLAYOUT_TEST_NPM="$$tmp" TLAYOUT_TEST_REQUIRE_NUMPY=1 TLAYOUT_TEST_CHECKPOINT_CASES=5000 \
	  go test -count=1 -run 'Npm|AgainstNumPy' -v -timeout 30m ./internal/file/safetensors ./internal/file/gguf

# Counts the misses of walks with Valgrind's cachegrind, writes them into the fixtures of internal/bench/cachesim, and checks that the model
# counts the same. Installs valgrind and gcc from Debian.
verify-cachegrind:
	{ valgrind --version && gcc --version && test -e /usr/include/stdint.h; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y valgrind gcc libc6-dev; }
	TLAYOUT_TEST_CACHEGRIND=1 go test -count=1 -run CachegrindAnew -v -timeout 30m ./internal/bench/cachesim
	go test -count=1 -run AgainstCachegrind -v ./internal/bench/cachesim

# Interrupts, starves and deceives the program: runs the tests that docs/promises.md names, with large counts. TLAYOUT_TEST_BOUNDS_SECONDS=10
# allows a slow machine more CPU time. Needs Linux, root and half an hour; installs strace and the tools of ext4 from Debian.
faults: export TLAYOUT_TEST_THOROUGH = 1
faults: export TLAYOUT_TEST_REQUIRE_FAULTS = 1
faults: export TLAYOUT_TEST_FAULTS = $(FAULTS)
faults: export TLAYOUT_TEST_BOUNDS = 1
faults: export TLAYOUT_TEST_COMMAND_LINES = 20000
faults:
	{ strace -V && mkfs.ext4 -V && mount -V; } >/dev/null 2>&1 || { apt-get update && apt-get install -y strace e2fsprogs mount; }
	tests=$$(grep -oE 'Test[A-Za-z]+' docs/promises.md | sort -u | paste -sd '|') && \
	go test -count=1 -v -timeout 3h -run "^($$tests)$$" ./internal/publish ./cmd/tlayout

# Runs the program against local servers of all three stores: workers, each run twice at once and killed, behind a failing proxy; changing
# sources; messages; memory and speed. Installs the servers into a temporary folder, and node from Debian; SERVERS=... is a folder that has them.
SERVERS :=
verify-cloud: export TLAYOUT_TEST_CLOUD_OBJECTS = 600
verify-cloud: export TLAYOUT_TEST_CLOUD_KILLS = 50
verify-cloud: export TLAYOUT_TEST_CLOUD_MIB = 256
verify-cloud:
	{ node --version && npm --version; } >/dev/null 2>&1 || { apt-get update && apt-get install -y nodejs npm; }
	cd cloud && go vet ./...
	tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && servers="$(SERVERS)" && \
	{ test -n "$$servers" || { servers="$$tmp" && \
	  GOBIN="$$tmp" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0 && \
	  GOBIN="$$tmp" go install github.com/fsouza/fake-gcs-server@v1.56.1 && \
	  npm install --prefix "$$tmp" --no-audit --no-fund --no-save --ignore-scripts azurite@3.35.0; }; } && \
	cd cloud && TLAYOUT_TEST_SERVERS="$$servers" go test -count=1 -v -timeout 30m ./...

# Runs examples/slurm on a single-machine cluster: two arrays at once, with killed tasks. Installs Slurm from Debian; needs root.
verify-slurm: export TLAYOUT_TEST_SLURM = 1
verify-slurm: export TLAYOUT_TEST_SLURM_FILES = 4000
verify-slurm: export TLAYOUT_TEST_SLURM_KILLS = 20
verify-slurm:
	{ slurmctld -V && slurmd -V && sbatch -V; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y --no-install-recommends slurmctld slurmd slurm-client; }
	go test -count=1 -v -timeout 30m -run TestSlurm ./cmd/tlayout

# Decodes examples/kubernetes/job.yaml, and runs the commands of docs/many.md on a control plane of Kubernetes, whose pods the test runs
# as processes. Builds it into a temporary folder, ten minutes of two cores and 4 GB of Go's cache, unless KUBERNETES is a folder that
# examples/kubernetes/cluster.sh has filled.
KUBERNETES :=
verify-kubernetes:
	cd examples/kubernetes && go vet ./...
	tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && programs="$(abspath $(KUBERNETES))" && \
	{ test -n "$$programs" || { examples/kubernetes/cluster.sh "$$tmp" && programs="$$tmp"; }; } && \
	cd examples/kubernetes && TLAYOUT_TEST_KUBERNETES="$$programs" go test -count=1 -v -timeout 20m ./...

# Runs the pipeline of beam in process, on prism and direct, and on a job server in another process, with failing sources.
verify-beam: export TLAYOUT_TEST_BEAM_FILES = 2000
verify-beam:
	cd beam && go vet ./... && go test -count=1 -v -timeout 20m ./...

# Regenerates the assembly.
generate:
	rm -f $$(grep -l '^// Code generated by command: go run' $(ASSEMBLY:%=%/*.s) $(ASSEMBLY:%=%/*.go))
	cd _asm && for p in $(ASSEMBLY); do go run . ../$$p || exit 1; done

# Checks that _asm generates exactly the committed assembly. Changes nothing.
generate-check:
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && for p in $(ASSEMBLY); do \
	  mkdir -p "$$tmp/here/$$p" "$$tmp/generated/$$p" && \
	  cp $$(grep -l '^// Code generated by command: go run' $$p/*.s $$p/*.go) "$$tmp/here/$$p" && \
	  (cd _asm && go run . "$$tmp/generated/$$p") || exit 1; \
	done && diff -r "$$tmp/here" "$$tmp/generated"

# Measures conversions in memory beside the fastest copy of as many bytes: the rows of peers; all layouts and element sizes; odd sizes; 1 MiB
# to 1 GiB; plans of 4 KiB. Needs an idle machine for an hour, or for a minute with BENCH=Convert/peers.
bench:
	go test -run '^$$' -bench '$(BENCH)' -benchtime $(SAMPLES)x -timeout 0 ./internal/convert

# Measures the rows of peers beside oneDNN, NumPy and torch from Debian, on one thread each, and checks the marks of the LEVEL.
peers:
	{ /usr/bin/python3 -c 'import numpy, torch' && g++ --version && test -e /usr/include/oneapi/dnnl/dnnl.hpp; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y python3-numpy python3-torch libdnnl-dev g++ libgomp1; }
	tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && cp $(PEERS)/arrays.py "$$tmp" && \
	g++ -O2 -fopenmp $(PEERS)/onednn.cpp -o "$$tmp/onednn" -ldnnl && go test -c -o "$$tmp/convert.test" ./internal/convert && \
	/usr/bin/python3 $(PEERS)/marks.py "$$tmp/convert.test" "$$tmp" $(if $(LEVEL),--level $(LEVEL)) $(MARKS)

# Measures whole files against cp, cached and larger than memory, and the start of commands, and checks the marks.
marks-files:
	$(PEERS)/files.sh $(FOLDER)

GORELEASE = $(if $(findstring @,$(GORELEASER)),go run $(GORELEASER),$(GORELEASER))

# Builds wheels for six platforms, with the program and python/tlayout, in _release/wheels. Publishes nothing.
wheel:
	$(GORELEASE) build --snapshot --clean --id tlayout --id tlayout-elsewhere

# Installs this machine's wheel into a new environment and tests it, with PyTorch and NumPy from Debian, and then with those of make
# witnesses SET=all, if it has run.
verify-wheel:
	{ /usr/bin/python3 -c 'import numpy, torch, pytest, venv, ensurepip'; } >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y python3-numpy python3-torch python3-pytest python3-venv; }
	python/verify.sh "$(WITNESSES)/bin/python"

# Checks the dependencies of tlayout and tlayout-cloud against the Go vulnerability database, over the network or with GOVULNDB=file:///a/copy.
vulncheck:
	@out=$$(for m in . cloud; do go -C $$m run $(GOVULNCHECK) $(if $(GOVULNDB),-db $(GOVULNDB)) ./... || exit; done 2>&1); status=$$?; \
	printf '%s\n' "$$out"; \
	case "$$out" in *'fetching vulnerabilities'*) echo 'vulncheck: nothing was checked: cannot reach the database; set GOVULNDB=file:///... to a copy';; esac; \
	exit $$status

# Publishes the checked-out tag as a draft: .github/workflows/release.yml.
release:
	$(GORELEASE) release --clean

# Builds all files of a release of the checked-out commit in dist; publishes nothing. GORELEASER=... may be an executable.
release-snapshot:
	$(GORELEASE) release --snapshot --clean

# Builds the last commit twice and checks that both are byte-identical; then license texts, packages, completions. Needs root; installs what
# it needs from Debian.
verify-release:
	testdata/release.sh

clean:
	rm -rf dist _release _site
	rm -f tlayout tlayout-cloud tlayout-beam
