#!/bin/bash
# One shard of a study for each task of the array. Submit it again to resume:
#   job=$(sbatch --parsable --array=1-8 slurm_array.sh)
#   sbatch --dependency=afterany:$job slurm_merge.sh
#SBATCH --job-name=mohs
#SBATCH --cpus-per-task=8
#SBATCH --mem-per-cpu=2G
#SBATCH --time=12:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --output=mohs-%A-%a.log
set -euo pipefail

# SLURM asks 120 s before the end: mohs saves and stops.
trap 'kill -TERM "$child"; wait "$child"' TERM
mohs diagnose dqn --seeds 100 --keep-going \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --workers "$SLURM_CPUS_PER_TASK" &
child=$!
wait "$child"
