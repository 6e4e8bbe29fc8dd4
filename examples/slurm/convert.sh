#!/bin/sh
#SBATCH --job-name=tlayout
#SBATCH --requeue
#SBATCH --open-mode=append
#
# Converts many sources in shares, one for each task of an array:
#
#   sbatch --array=0-99 examples/slurm/convert.sh images/ --to nhwc -d out/
#   tlayout convert images/ --to nhwc -d out/ --update --dry-run    # says what is missing
#
# A task whose sources cannot be read or written, or that is interrupted, is tried again, TRIES times (default 3). A task that would fail
# again in the same way fails at once. Submit the same job again after any failure: results that are newer than their sources are skipped.

tlayout convert "$@" --shard auto --update
code=$?
case $code in
0 | 2 | 3 | 4) exit $code ;; # done; or flags, a malformed source, an unsupported one
esac
if [ "${SLURM_RESTART_COUNT:-0}" -lt "${TRIES:-3}" ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60 # until Slurm ends this try
fi
exit $code
