#!/bin/sh
#SBATCH --job-name=tlayout
#SBATCH --requeue
#SBATCH --open-mode=append
#
# Converts many sources in shards, one for each task of an array:
#
#   sbatch --wait --array=0-99 examples/slurm/convert.sh images/ --to nhwc -d out/
#   tlayout convert images/ --to nhwc -d out/ --update --dry-run    # 0: every result is there
#
# Makes TRIES more attempts (default 3) at a task that is interrupted, or cannot read or write. Permanent errors fail at once.
# Submit the same job again after any failure: results that are newer than their sources are skipped.

tlayout convert "$@" --shard auto --update
code=$?
case $code in
0 | 1 | 2 | 3 | 4) exit $code ;; # done; or the answer no, flags, a malformed source, an unsupported one
esac
if [ "${SLURM_RESTART_COUNT:-0}" -lt "${TRIES:-3}" ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60 # until Slurm ends this try
fi
exit $code
