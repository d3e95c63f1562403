#!/bin/bash
# An audit by several processes of MPI, on this machine or on those of a host file:
#
#   RANKS=4 examples/mpi/audit.sh my-model forget.json holdout.json audit [--hostfile hosts]
set -euo pipefail
model=$1 forget=$2 holdout=$3 out=$4
shift 4
exec mpirun -n "${RANKS:-2}" "$@" palimpsest mia --model "$model" --forget "$forget" --holdout "$holdout" --independent \
  --out "$out"
