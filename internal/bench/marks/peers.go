package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/oracle"
)

const (
	oneDNN = "onednn"
	numPy  = "numpy"
	torch  = "torch"
)

var peerNames = []string{oneDNN, numPy, torch}

// python is Debian's: the one with its numpy and torch packages.
const python = "/usr/bin/python3"

// peer is a program that answers rows on its standard input: internal/convert/testdata/peers/README.md.
type peer struct {
	*oracle.Oracle
	name  string
	asked int
}

// peerSet are the running peers; empty without -peers.
type peerSet []*peer

// startPeers starts the programs of a folder.
func startPeers(dir string) (set peerSet, err error) {
	if dir == "" {
		return nil, nil
	}
	defer func() {
		if err != nil {
			set.stop()
		}
	}()
	arrays := filepath.Join(dir, "arrays.py")
	for i, command := range [][]string{{filepath.Join(dir, "onednn")}, {python, arrays, numPy}, {python, arrays, torch}} {
		o, err := oracle.Start(command[0], command[1:]...)
		if err != nil {
			return set, fmt.Errorf("%s: %w", peerNames[i], err)
		}
		p := &peer{Oracle: o, name: peerNames[i]}
		set = append(set, p)
		line, err := p.line("version")
		if err != nil {
			return set, err
		}
		p.Version = strings.TrimPrefix(line, "version ")
	}
	return set, nil
}

func (set peerSet) stop() {
	for _, p := range set {
		p.End() //nolint:errcheck // a peer that failed has said so
	}
}

// each lists what of returns for each peer.
func (set peerSet) each(of func(*peer) string) (all []string) {
	for _, p := range set {
		all = append(all, of(p))
	}
	return all
}

// programs are each peer's run of a row, and C's memcpy of half bytes.
func (set peerSet) programs(r row, half int) (programs []program) {
	for _, p := range set {
		programs = append(programs, p.program(p.name, r.question()))
		if p.name == oneDNN {
			programs = append(programs, p.program(copyBy+cMemcpy, row{[4]int{1, 1, 1, half}, 1, "memcpy", "memcpy"}.question()))
		}
	}
	return programs
}

func (p *peer) program(name, question string) program {
	return program{name, func() (seconds float64, can bool, err error) {
		p.asked++
		id := strconv.Itoa(p.asked)
		line, err := p.line(id + " " + question)
		if err != nil {
			return 0, false, err
		}
		if seconds, can, err = parseAnswer(id, line); err != nil {
			err = fmt.Errorf("%s: %w", p.name, err)
		}
		return seconds, can, err
	}}
}

// line is the answer to a line.
func (p *peer) line(question string) (string, error) {
	_, askErr := fmt.Fprintln(p, question)
	line, err := p.Line()
	if err = errors.Join(askErr, err); err != nil {
		return "", fmt.Errorf("%s does not answer %q: %w", p.name, question, errors.Join(err, p.End()))
	}
	return line, nil
}

// parseAnswer reads "ID SECONDS", "ID -" for a row that the peer cannot do, and "ID ! error".
func parseAnswer(id, line string) (seconds float64, can bool, err error) {
	answered, text, _ := strings.Cut(line, " ")
	wrong, failed := strings.CutPrefix(text, "! ")
	switch {
	case answered != id:
		return 0, false, fmt.Errorf("%q is no answer to %s", line, id)
	case text == "-":
		return 0, false, nil
	case failed:
		return 0, false, errors.New(wrong)
	}
	if seconds, err = strconv.ParseFloat(text, 64); err != nil || !(seconds > 0) {
		return 0, false, fmt.Errorf("%q is no number of seconds", text)
	}
	return seconds, true, nil
}
