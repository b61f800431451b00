# kstatus-tui. `make` lists the targets.
SHELL := /bin/bash
GO ?= go
TOOL = $(GO) tool -modfile=tools.mod
BIN = bin/kstatus-tui
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# What runs the tests. .ci takes gotestsum, which lists the skipped tests.
GOTEST ?= $(GO) test
# The packages that start goroutines. make nightly takes all packages.
RACE ?= ./internal/watch/... ./internal/follow/... ./internal/testcluster/... ./internal/recording/... ./internal/spool/... ./internal/tui/...
FUZZTIME ?= 20s
ORACLETIME ?= 1m
SOAKTIME ?= 1h
# One configuration for build, vet, test and the control plane of e2e: every package is compiled once.
export CGO_ENABLED = 0

.PHONY: help
help: ## list the targets
	@awk 'BEGIN{FS=":.*## "} /^[a-z0-9-]+:.*## /{printf "  %-14s %s\n",$$1,$$2}' $(MAKEFILE_LIST)
.DEFAULT_GOAL := help

.PHONY: build
build: ## build the static binary bin/kstatus-tui (cgo would make it 50 % larger)
	$(GO) build -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o $(BIN) ./cmd/kstatus-tui

.PHONY: man
man: build ## write the man pages into bin/man/
	mkdir -p bin/man && ./$(BIN) man bin/man

.PHONY: completions
completions: build ## write the completion scripts of all shells, and kubectl's, into bin/completions/
	mkdir -p bin/completions
	./$(BIN) completion bash > bin/completions/kstatus-tui.bash
	./$(BIN) completion zsh > bin/completions/_kstatus-tui
	./$(BIN) completion fish > bin/completions/kstatus-tui.fish
	./$(BIN) completion powershell > bin/completions/kstatus-tui.ps1
	./$(BIN) completion kubectl > bin/completions/kubectl_complete-kstatus_tui

# GoReleaser takes minutes to compile, once.
DISTFLAGS ?= --snapshot
.PHONY: dist
dist: ## everything of a release into dist/: archives, deb, rpm, the image, checksums, SBOMs, and what brew, krew and scoop read
	cd internal/dist && $(GO) build -o $(CURDIR)/bin/tools/ github.com/goreleaser/goreleaser/v2 github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
	PATH="$(CURDIR)/bin/tools:$$PATH" goreleaser release --clean $(DISTFLAGS)
	cd internal/dist && $(GO) run ./image -dist $(CURDIR)/dist -push "$(IMAGES)"

.PHONY: dist-test
dist-test: ## install what "make dist" made, where the tools for it are: archives, krew's layout, deb, rpm, the image, man, completions
	cd internal/dist && $(GO) test -count=1 -v ./... -dist $(CURDIR)/dist

.PHONY: demo
demo: ## the dashboard on an embedded recording: no cluster needed
	@test -x $(BIN) || echo "building $(BIN) with Kubernetes' libraries: a minute or two the first time"
	@$(MAKE) -s build
	@./$(BIN) demo

.PHONY: demo-recording
demo-recording: build ## record what demo plays, on the cluster of KUBECONFIG (docs/recording.md)
	cd internal/e2e && $(GO) run ./demo -kubeconfig "$(KUBECONFIG)" -bin $(CURDIR)/$(BIN) -o $(CURDIR)/cmd/kstatus-tui/demo.rec.gz

.PHONY: test
test: ## unit, golden and in-memory cluster tests
	$(GOTEST) -timeout 30m ./...

.PHONY: race
race: ## the packages with goroutines under the race detector (needs a C compiler); RACE=./... takes all
	CGO_ENABLED=1 $(GOTEST) -race -short -timeout 60m $(RACE)

.PHONY: oracle
oracle: ## random histories under random faults against a reading at once, for ORACLETIME (1m)
	seed=$$RANDOM$$RANDOM; echo "seed $$seed"; set -o pipefail; \
	$(GO) test ./cmd/kstatus-tui -run Oracle -count=1 -timeout 0 -v -oracle $(ORACLETIME) -oracle-seed $$seed | grep -v -e '=== RUN' -e '--- PASS: .*/seed'

.PHONY: churn
churn: ## memory does not grow while tens of thousands of objects change
	$(GOTEST) ./cmd/kstatus-tui -count=1 -run Churn -churn

.PHONY: golden
golden: ## rewrite the golden files; read the diff
	$(GO) test ./internal/views ./internal/report -update

.PHONY: check
check: ## format, vet, staticcheck, dead code, go fix -diff, the architecture test
	@out=$$($(TOOL) gofumpt -l cmd internal); test -z "$$out" || { echo "not gofumpt'ed:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	cd internal/e2e && $(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) fix -diff ./...
	@out=$$($(TOOL) deadcode -test ./...); test -z "$$out" || { echo "dead code:"; echo "$$out"; exit 1; }
	$(GO) test ./internal/archtest

# Each of these compiles the dependencies once more, so make nightly runs them.
.PHONY: vet-systems
vet-systems: ## vet for Windows and macOS
	GOOS=windows $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...

MODULES = internal/conformance internal/dist internal/e2e/bench/peers internal/e2e/writers internal/views/peers
.PHONY: vet-modules
vet-modules: ## vet the nested modules (but internal/e2e, which is in check)
	@set -e; for dir in $(MODULES); do echo "cd $$dir && $(GO) vet ./..."; (cd $$dir && $(GO) vet ./...); done

.PHONY: nightly
nightly: ## what is too long or too random for .ci/run: fuzzing, oracles with new seeds, churn, all races, other systems, a soak
	.ci/nightly

# Most scenarios wait for controllers, so eight of them at once keep two cores busy. Those that
# disturb the control plane (TestAlone_…) wait for minutes until it has recovered: they have one
# of their own beside.
E2EFLAGS ?= -parallel 8
E2E = cd internal/e2e && KSTATUS_TUI_BIN=$(CURDIR)/$(BIN) $(GOTEST) -count=1 -timeout 25m . $(E2EFLAGS)
.PHONY: e2e
e2e: build ## build and start a real control plane, run the scenarios on it
	$(MAKE) --no-print-directory -j2 --output-sync=target e2e-together e2e-alone

.PHONY: e2e-together e2e-alone
e2e-together:
	$(E2E) -skip '^TestAlone_'
e2e-alone:
	$(E2E) -run '^TestAlone_'
	cd internal/e2e && $(GOTEST) -count=1 ./cluster ./proxy ./terminal

.PHONY: xterm
xterm: ## replay what the dashboard writes in @xterm/headless (node, npm), and compare with a full redraw
	cd internal/e2e && $(GO) test -count=1 -v ./xterm

OLD ?= v1.30.14
.PHONY: e2e-old
e2e-old: build ## the same on a control plane two years older (OLD=v1.30.14), but for what only newer ones have
	cd internal/e2e && KSTATUS_TUI_E2E_KUBERNETES=$(OLD) KSTATUS_TUI_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -timeout 25m . $(E2EFLAGS)

.PHONY: soak
soak: ## dashboards on a real control plane on which everything changes and goes wrong, for SOAKTIME (1h)
	cd internal/e2e && $(GO) run ./soak -duration $(SOAKTIME) $(SOAKFLAGS)

WRITERS ?= $(CURDIR)/bin/writers
.PHONY: e2e-writers
e2e-writers: build ## scenarios in which Helm and kubectl themselves write; compiles both first
	mkdir -p $(WRITERS)
	cd internal/e2e/writers && $(GO) build -o $(WRITERS)/helm helm.sh/helm/v4/cmd/helm && $(GO) build -o $(WRITERS)/kubectl ./kubectl
	cd internal/e2e && KSTATUS_TUI_WRITERS=$(WRITERS) KSTATUS_TUI_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -run TestWriters .

CONTROLLERS ?= all
.PHONY: e2e-controllers
e2e-controllers: build ## Flux, cert-manager, kro, Argo Rollouts, Crossplane, Sealed Secrets and KubeRay on a real control plane (CONTROLLERS=all); compiles them first: an hour on two cores, once
	cd internal/e2e && KSTATUS_TUI_CONTROLLERS="$(CONTROLLERS)" KSTATUS_TUI_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -timeout 90m -parallel 6 ./controllers

.PHONY: playground
playground: build ## a real control plane with a sample application, and the dashboard on it
	cd internal/e2e && $(GO) run ./playground -bin $(CURDIR)/$(BIN)

.PHONY: bench
bench: build ## benchmarks: the rooms', and the program on a real control plane beside its peers
	$(GO) test -run '^$$' -bench . -benchmem ./internal/status ./internal/convert ./internal/explain ./internal/model ./internal/views ./internal/watch ./internal/recording ./cmd/kstatus-tui
	cd internal/views/peers && $(GO) test -run '^$$' -bench . -benchmem
	cd internal/e2e && KSTATUS_TUI_BIN=$(CURDIR)/$(BIN) $(GO) run ./bench $(BENCHFLAGS)
	@cd internal/e2e && set -o pipefail && KSTATUS_TUI_BIN=$(CURDIR)/$(BIN) $(GO) test -count=1 -v -run AThousandMembers . | grep -e 'members' -e FAIL

.PHONY: bench-why
bench-why: build ## forty ways to be stuck on a real control plane: what why says, and what others do
	cd internal/e2e && $(GO) run ./benchwhy -bin $(CURDIR)/$(BIN) $(BENCHFLAGS)

# Go's coordinator may take the end of the time for a failure: golang/go#75804,
# mended in Go 1.27. Each new input would be made shorter for a minute; what is
# found is shown all the same. What fails stays in testdata/fuzz: commit it.
FUZZ ?= ^Fuzz
FUZZFLAGS ?= -fuzzminimizetime 20x
.PHONY: fuzz
fuzz: ## every fuzz target (FUZZ=^FuzzSource$$: those) for FUZZTIME (20s); FUZZFLAGS="-parallel 1" on a shared machine
	@set -e; failed=0; for pkg in $$($(GO) list ./...); do \
	  for t in $$($(GO) test -list '$(FUZZ)' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$t"; \
	    if out=$$($(GO) test $$pkg -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) $(FUZZFLAGS) 2>&1); then echo "$$out"; continue; fi; \
	    echo "$$out"; \
	    if echo "$$out" | grep -A1 -e '^--- FAIL: Fuzz' | grep -q '^    context deadline exceeded$$' && ! echo "$$out" | grep -q -e 'Failing input' -e panic; \
	    then echo "no failure: the time was over (golang/go#75804)"; else failed=1; fi; done; done; exit $$failed

.PHONY: conformance
conformance: ## agreement and false green on the field's corpora, beside kstatus's own; last, the conventions alone
	cd internal/conformance && $(GO) run .
	$(GO) test -count=1 -v -run "ConventionsAlone|ManyProjects" ./internal/status

.PHONY: screenshots
screenshots: ## draw screenshots/ from recorded states, as SVG and PNG
	$(GO) test ./internal/views -run "Screenshot|MovingPicture" -update

.PHONY: deps
deps: ## the packages that the binary is made of
	@$(GO) list -deps ./cmd/kstatus-tui | grep '\.' | sort
