package batch

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Shard is part Index of Count parts of a list. The zero value is the whole list.
type Shard struct{ Index, Count int }

// hashOf returns the 64-bit FNV-1a hash. The hash of Rel modulo the number of shards selects an item's shard, so that a growing list moves
// no item.
func hashOf(text []byte) uint64 {
	h := fnv.New64a()
	h.Write(text) //nolint:errcheck // never fails
	return h.Sum64()
}

func (s Shard) has(rel []byte) bool {
	return s.Count <= 1 || hashOf(rel)%uint64(s.Count) == uint64(s.Index)
}

// All returns the shard as written: 0 of 1 for the zero value.
func (s Shard) All() Shard { return Shard{s.Index, max(1, s.Count)} }

// String returns k/n.
func (s Shard) String() string { s = s.All(); return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// maxShards bounds the number of shards.
const maxShards = 1_000_000

// ParseShard parses k/n, where 0 ≤ k < n.
func ParseShard(spec string) (Shard, error) {
	k, n, ok := strings.Cut(spec, "/")
	index, errK := strconv.Atoi(k)
	count, errN := strconv.Atoi(n)
	if !ok || errK != nil || errN != nil {
		return Shard{}, fault.New(fault.Usage, "invalid shard %s", text.Quoted(spec)).WithHint("write 0/8 for the first of eight, or auto to read it from the job's environment")
	}
	return checkShard(index, count)
}

func checkShard(index, count int) (Shard, error) {
	if count < 1 || count > maxShards {
		return Shard{}, fault.New(fault.Usage, "shard count %d is outside 1..%d", count, maxShards)
	}
	if index < 0 || index >= count {
		return Shard{}, fault.New(fault.Usage, "shard %d is out of range for %d shards", index, count).WithHint("shards count from 0: 0/%d to %d/%d", count, count-1, count)
	}
	return Shard{index, count}, nil
}

// ShardsVariable sets the number of shards if the job's environment does not.
const ShardsVariable = "TLAYOUT_SHARDS"

// arrayJob describes how an array job identifies its tasks.
type arrayJob struct {
	name         string
	index, count string // variables; without count, ShardsVariable is required
	first, step  string // of the indices; "" for 0 and 1
}

var arrayJobs = []arrayJob{
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"},
	{"Kubernetes", "JOB_COMPLETION_INDEX", "", "", ""},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", "", ""},
	{"Google Batch", "BATCH_TASK_INDEX", "BATCH_TASK_COUNT", "", ""},
	{"Cloud Run", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", "", ""},
}

// FromEnvironment returns the shard of this task of an array job. ShardsVariable, if set, is the number of shards, and the task's index is
// the shard: resubmitting a part of an array repeats the same shards.
func FromEnvironment(env func(string) (string, bool)) (Shard, error) {
	var found []arrayJob
	for _, job := range arrayJobs {
		if value, ok := env(job.index); ok && value != "" {
			found = append(found, job)
		}
	}
	switch len(found) {
	case 0:
		return Shard{}, fault.New(fault.Usage, "--shard auto: no array job found in the environment").
			WithHint("auto supports Slurm, Kubernetes, AWS Batch, Google Batch and Cloud Run; otherwise pass --shard k/n")
	case 1:
		return found[0].shard(env)
	}
	return Shard{}, fault.New(fault.Usage, "--shard auto: %s and %s are both set", found[0].index, found[1].index).WithHint("pass --shard k/n")
}

func (j arrayJob) shard(env func(string) (string, bool)) (Shard, error) {
	var err error
	number := func(name string, other int) int {
		value, ok := env(name)
		if name == "" || !ok || value == "" {
			return other
		}
		n, bad := strconv.Atoi(value)
		if bad != nil && err == nil {
			err = fault.New(fault.Usage, "--shard auto: %s is %s, not a number", name, text.Quoted(value))
		}
		return n
	}
	index := number(j.index, 0)
	shards := number(ShardsVariable, -1)
	count := number(j.count, -1)
	first := number(j.first, 0)
	step := number(j.step, 1)
	if err != nil {
		return Shard{}, err
	}
	if shards >= 0 {
		s, err := checkShard(index, shards)
		return s, fault.In(ShardsVariable, err)
	}
	if count < 0 && j.count == "" {
		return Shard{}, fault.New(fault.Usage, "--shard auto: %s does not say how many tasks there are", j.name).WithHint("set %s to the number of shards", ShardsVariable)
	}
	if count < 0 {
		return Shard{}, fault.New(fault.Usage, "--shard auto: %s is not set", j.count).WithHint("set %s to the number of shards", ShardsVariable)
	}
	outside := index < first || step < 1 || (index-first)/step >= count
	if outside || (index-first)%step != 0 {
		return Shard{}, fault.New(fault.Usage, "--shard auto: task %d of %s is not one of its %d tasks from %d on", index, j.name, count, first).
			WithHint("submit a whole range, such as 0-99; to rerun a part of it, set %s to the number of shards", ShardsVariable)
	}
	return checkShard((index-first)/step, count)
}
