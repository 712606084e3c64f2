#!/usr/bin/env bash
# Times the matrix multiplications of testdata/speed under race detection:
# ampdbg check, and oclgrind --data-races, side by side on this machine, and
# prints the ratios. Both check the same kernel, Oclgrind from OpenCL C, on one
# thread; the figures are processor time per multiply-add, start-up included.
# Oclgrind multiplies 64x64 matrices, since it takes minutes for 256x256.
# Needs oclgrind (Debian package oclgrind).
set -euo pipefail
cd "$(dirname "$0")/.."
command -v oclgrind-kernel >/dev/null || { echo "compare_races.sh: oclgrind-kernel is not installed" >&2; exit 3; }
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/ampdbg" ./cmd/ampdbg
cd testdata/speed
TIMEFORMAT='%U %S'
# seconds CMD...: processor time of a command
seconds() { { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print $1 + $2}'; }
printf '%-14s %22s %22s %8s\n' kernel 'oclgrind ns (64)' 'ampdbg check ns (256)' ratio
for kernel in matmul_naive matmul_tiled; do
	ours=$(seconds "$bin/ampdbg" check "$kernel.amber")
	theirs=$(seconds oclgrind-kernel --data-races --num-threads 1 "${kernel}_64.sim")
	awk -v k="$kernel" -v a="$ours" -v b="$theirs" \
		'BEGIN { a /= 256*256*256; b /= 64*64*64; printf "%-14s %22.1f %22.1f %7.0fx\n", k, b*1e9, a*1e9, b/a }'
done
echo
echo "All checks over an unchecked run (Go benchmarks):"
cd ../..
go test ./racecheck -run '^$' -bench Overhead -benchtime 4x | grep '^Benchmark'
