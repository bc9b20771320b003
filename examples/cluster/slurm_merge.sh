#!/bin/bash
#SBATCH --job-name=mohs-merge
#SBATCH --time=1:00:00
#SBATCH --output=mohs-merge-%j.log
set -euo pipefail

mohs merge mohs.db mohs.shard-*-of-*.db
mohs report --out report
