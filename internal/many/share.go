package many

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Share is one of Count parts of a list, the one of that Index. The zero value is all of it.
type Share struct{ Index, Count int }

// hashOf is the FNV-1a hash, 64 bits. Modulo the number of shares, that of Rel is the share of a unit: a list that grows moves none.
func hashOf(text []byte) uint64 {
	h := fnv.New64a()
	h.Write(text) //nolint:errcheck // it never fails
	return h.Sum64()
}

func (s Share) has(rel []byte) bool {
	return s.Count <= 1 || hashOf(rel)%uint64(s.Count) == uint64(s.Index)
}

// All is the share as it is written: the zero value is 0 of 1.
func (s Share) All() Share { return Share{s.Index, max(1, s.Count)} }

// String is k/n.
func (s Share) String() string { s = s.All(); return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// maxShares bounds the number of shares.
const maxShares = 1_000_000

// ParseShare reads k/n, where 0 ≤ k < n.
func ParseShare(text string) (Share, error) {
	k, n, ok := strings.Cut(text, "/")
	index, errK := strconv.Atoi(k)
	count, errN := strconv.Atoi(n)
	if !ok || errK != nil || errN != nil {
		return Share{}, fault.New(fault.Usage, "%s is not a share", words.Quoted(text)).WithHint("0/8 is the first of eight; auto takes it from the job's environment")
	}
	return checkShare(index, count)
}

func checkShare(index, count int) (Share, error) {
	switch {
	case count < 1 || count > maxShares:
		return Share{}, fault.New(fault.Usage, "%d shares are outside 1..%d", count, maxShares)
	case index < 0 || index >= count:
		return Share{}, fault.New(fault.Usage, "there is no share %d of %d", index, count).WithHint("shares count from 0: 0/%d to %d/%d", count, count-1, count)
	}
	return Share{index, count}, nil
}

// SharesVariable says how many shares there are where the job's environment does not.
const SharesVariable = "TLAYOUT_SHARDS"

// arrayJob is how a kind of array job tells its tasks which they are.
type arrayJob struct {
	name         string
	index, count string // variables; no count: SharesVariable has it
	first, step  string // of the indices; "" for 0 and 1
}

var arrayJobs = []arrayJob{
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"},
	{"Kubernetes", "JOB_COMPLETION_INDEX", "", "", ""},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", "", ""},
	{"Google Batch", "BATCH_TASK_INDEX", "BATCH_TASK_COUNT", "", ""},
	{"Cloud Run", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", "", ""},
}

// FromEnvironment is the share of this task of an array job. SharesVariable, if it is set, is the number of shares, and the task's index
// is the share: a part of an array that is submitted again does its own shares then.
func FromEnvironment(env func(string) (string, bool)) (Share, error) {
	var found []arrayJob
	for _, job := range arrayJobs {
		if value, ok := env(job.index); ok && value != "" {
			found = append(found, job)
		}
	}
	switch len(found) {
	case 0:
		return Share{}, fault.New(fault.Usage, "--shard auto: no array job is found in the environment").
			WithHint("it knows Slurm, Kubernetes, AWS Batch, Google Batch and Cloud Run; elsewhere --shard k/n")
	case 1:
		return found[0].share(env)
	}
	return Share{}, fault.New(fault.Usage, "--shard auto: %s and %s are both set", found[0].index, found[1].index).WithHint("say which share it is: --shard k/n")
}

func (j arrayJob) share(env func(string) (string, bool)) (Share, error) {
	var err error
	number := func(name string, other int) int {
		text, ok := env(name)
		if name == "" || !ok || text == "" {
			return other
		}
		n, bad := strconv.Atoi(text)
		if bad != nil && err == nil {
			err = fault.New(fault.Usage, "--shard auto: %s is %s, not a number", name, words.Quoted(text))
		}
		return n
	}
	index, shares := number(j.index, 0), number(SharesVariable, -1)
	count, first, step := number(j.count, -1), number(j.first, 0), number(j.step, 1)
	switch {
	case err != nil:
		return Share{}, err
	case shares >= 0:
		s, err := checkShare(index, shares)
		return s, fault.In(SharesVariable, err)
	case count < 0 && j.count == "":
		return Share{}, fault.New(fault.Usage, "--shard auto: %s does not say how many tasks there are", j.name).WithHint("set %s to their number", SharesVariable)
	case count < 0:
		return Share{}, fault.New(fault.Usage, "--shard auto: %s is not set", j.count).WithHint("set %s to the number of shares", SharesVariable)
	case step < 1 || (index-first)%max(1, step) != 0 || index < first || (index-first)/step >= count:
		return Share{}, fault.New(fault.Usage, "--shard auto: task %d of %s is none of %d from %d on", index, j.name, count, first).
			WithHint("the array must be a range, 0-99; to run a part of it again, set %s to the number of shares", SharesVariable)
	}
	return checkShare((index-first)/step, count)
}
