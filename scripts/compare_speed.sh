#!/usr/bin/env bash
# Times the matrix multiplications of testdata/speed (256x256x256) on ampdbg
# and on Oclgrind, side by side on this machine, and prints the ratios. Both
# run the same kernel, Oclgrind from OpenCL C, on one thread; the figures are
# processor time per multiply-add, start-up included. Needs oclgrind (Debian
# package oclgrind).
set -euo pipefail
cd "$(dirname "$0")/.."
command -v oclgrind-kernel >/dev/null || { echo "compare_speed.sh: oclgrind-kernel is not installed" >&2; exit 3; }
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/ampdbg" ./cmd/ampdbg
cd testdata/speed
TIMEFORMAT='%U %S'
# seconds CMD...: processor time of a command
seconds() { { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print $1 + $2}'; }
mads=$((256 * 256 * 256))
printf '%-14s %14s %14s %8s\n' kernel 'oclgrind ns' 'ampdbg ns' ratio
for kernel in matmul_naive matmul_tiled; do
	ours=$(seconds "$bin/ampdbg" run "$kernel.amber")
	theirs=$(seconds oclgrind-kernel --num-threads 1 "${kernel}_256.sim")
	awk -v k="$kernel" -v a="$ours" -v b="$theirs" -v n="$mads" \
		'BEGIN { printf "%-14s %14.1f %14.1f %7.0fx\n", k, b/n*1e9, a/n*1e9, b/a }'
done
echo
echo "ampdbg, tile by tile (Go benchmarks: processor ns per multiply-add and per thread-instruction):"
cd ../..
go test ./emu -run '^$' -bench Matmul -benchtime 3x | awk '/^Benchmark/ { printf "%-46s", $1; for (i = 2; i < NF; i++) if ($(i+1) ~ /ns\/(mad|instr)|allocs/) printf " %10s %s", $i, $(i+1); print "" }'
