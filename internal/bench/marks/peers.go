package marks

import (
	"fmt"
	"path/filepath"
)

const (
	oneDNN = "onednn"
	numPy  = "numpy"
	torch  = "torch"
)

var peerNames = []string{oneDNN, numPy, torch}

// python is Debian's: the one that its numpy and torch packages belong to.
const python = "/usr/bin/python3"

// peerSet are the peers that run; none where they were not asked for.
type peerSet []*peer

// startPeers starts the programs of a folder.
func startPeers(dir string) (peerSet, error) {
	if dir == "" {
		return nil, nil
	}
	arrays := filepath.Join(dir, "arrays.py")
	var set peerSet
	for _, command := range [][]string{
		{oneDNN, filepath.Join(dir, "onednn")}, {numPy, python, arrays, "numpy"}, {torch, python, arrays, "torch"},
	} {
		p, err := startPeer(command[0], command[1], command[2:]...)
		if err != nil {
			set.stop()
			return nil, err
		}
		set = append(set, p)
	}
	return set, nil
}

func (set peerSet) stop() {
	for _, p := range set {
		p.stop()
	}
}

func (set peerSet) names() []string {
	var names []string
	for _, p := range set {
		names = append(names, p.name)
	}
	return names
}

func (set peerSet) versions() []string {
	var versions []string
	for _, p := range set {
		versions = append(versions, p.version)
	}
	return versions
}

// programs are each peer's run of a row, and memcpy of half bytes by the one that is written in C.
func (set peerSet) programs(r row, half int) []program {
	var programs []program
	for _, p := range set {
		programs = append(programs, program{p.name, func() (float64, bool, error) { return p.ask(r.question()) }})
		if p.name == oneDNN {
			programs = append(programs, program{cMemcpy, func() (float64, bool, error) {
				return p.ask(fmt.Sprintf("1 1 1 %d 1 memcpy memcpy", half))
			}})
		}
	}
	return programs
}

// question is the row as peers are asked for it.
func (r row) question() string {
	s := r.shape
	return fmt.Sprintf("%d %d %d %d %d %s %s", s[0], s[1], s[2], s[3], r.item, r.from, r.to)
}
