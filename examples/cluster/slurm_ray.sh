#!/bin/bash
# A Ray cluster inside one job. Other jobs on the nodes may have Rays of their own: the port and the folder are this job's.
#SBATCH --job-name=mohs-ray
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
#SBATCH --output=mohs-ray-%j.log
set -euo pipefail

port=$((20000 + SLURM_JOB_ID % 20000))
export RAY_TMPDIR="/tmp/ray-$SLURM_JOB_ID"
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address | awk '{print $1}')

srun --nodes=1 --ntasks=1 -w "$head" \
  ray start --head --node-ip-address="$address" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" \
  --include-dashboard=false --temp-dir="$RAY_TMPDIR" --block &
sleep 20
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
  srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" \
    ray start --address="$address:$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
  sleep 20
fi

mohs diagnose dqn --seeds 100 --executor "ray:$address:$port" --out report
