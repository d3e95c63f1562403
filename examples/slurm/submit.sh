#!/bin/bash
# An audit as a Slurm job array and a job that finishes it:
#
#   MODEL=my-model FORGET=forget.json HOLDOUT=holdout.json OUT=audit examples/slurm/submit.sh 8
#
# The folder OUT must be on a disk that all nodes share. If the nodes have different processors, set ISA to a set of
# vector instructions that all have (avx2).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
shards=${1:?the number of shards}
export MODEL FORGET HOLDOUT OUT ISA=${ISA:-auto}
array=$(sbatch --parsable --export=ALL --array="1-$shards" "$here/audit.sbatch")
# afterany: what a failed shard lacks is computed by the job that finishes.
finish=$(sbatch --parsable --export=ALL --dependency="afterany:$array" "$here/finish.sbatch")
echo "shards: job $array; results: job $finish"
