#!/bin/bash
# Workers that pull. Enter the study first:
#   mohs diagnose dqn --seeds 100 --store "$MOHS_STORE" --enqueue
#   sbatch --array=1-20 slurm_work.sh
#SBATCH --job-name=mohs-work
#SBATCH --cpus-per-task=8
#SBATCH --time=4:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --output=mohs-work-%A-%a.log
set -euo pipefail

: "${MOHS_STORE:?is the URL of a PostgreSQL store}"
trap 'kill -TERM "$child"; wait "$child"' TERM
mohs work --store "$MOHS_STORE" --workers "$SLURM_CPUS_PER_TASK" &
child=$!
wait "$child"
