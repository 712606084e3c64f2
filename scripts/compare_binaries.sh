#!/usr/bin/env bash
# Measures the processor time of two ampdbg binaries on the launches of
# testdata/speed and testdata/amp, and prints the ratio new/old of each and the
# geometric means.
#
#   scripts/compare_binaries.sh OLD NEW [ROUNDS [NAME...]]
#
# The binaries take turns, and the least user time of all rounds (9) counts:
# load on the machine can only add to it. Each runs on one thread. The launches
# of testdata/amp are small, so each RUN is done as often as it takes for a fifth
# of a second of the old binary; what such launches give is not looked at.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2") rounds=${3:-9}
for binary in "$old" "$new"; do
	[ -x "$binary" ] || { echo "compare_binaries.sh: $binary is no program" >&2; exit 2; }
done
shift $(($# < 3 ? $# : 3))
cd "$(dirname "$0")/../testdata"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
TIMEFORMAT=%U
# seconds BINARY SCRIPT: user time of a run
seconds() { { time "$1" run --workers 1 "$2" >"$tmp/out" 2>&1; } 2>&1 || { cat "$tmp/out" >&2; return 1; }; }
# repeated SCRIPT N: the script with each RUN done N times. A step of the sorting
# network may be done again, but not the step to the next (advance).
repeated() {
	awk -v n="$2" -v dir="$PWD/$(dirname "$1")" '
		/^EXPECT/ { next }
		{ sub(/ FILE BINARY /, "&" dir "/"); if (!/BINARY/) sub(/ FILE /, "&" dir "/"); print }
		$1 == "RUN" && $2 != "advance" { for (i = 1; i < n; i++) print }
	' "$1"
}
printf '%-24s %9s %9s %7s\n' launch 'old ms' 'new ms' 'new/old'
for script in speed/*.amber amp/*.amber; do
	name=${script%.amber}
	case $name in */oob_*) continue ;; esac # ends at once
	[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	launch=$script
	if [[ $script == amp/* ]]; then
		launch=$tmp/launch.amber
		for ((n = 1; n < 1 << 20; n *= 4)); do
			repeated "$script" $n >"$launch"
			awk -v s="$(seconds "$old" "$launch")" 'BEGIN { exit s < 0.2 }' && break
		done
	fi
	for ((i = 0; i < rounds; i++)); do
		a=$(seconds "$old" "$launch")
		b=$(seconds "$new" "$launch")
		echo "$a $b"
	done | awk -v name="$name" '
		NR == 1 || $1 < a { a = $1 } NR == 1 || $2 < b { b = $2 }
		END { printf "%-24s %9.0f %9.0f %7.3f\n", name, a*1e3, b*1e3, b/a }'
done | tee "$tmp/table"
awk '{ s = $4 > 0 ? log($4) : 0; all += s; n++; if ($1 ~ /^speed/) { speed += s; k++ } if ($4 > worst) { worst = $4; at = $1 } }
	END { printf "geometric mean %.3f", exp(all/n); if (k) printf ", of speed %.3f", exp(speed/k); printf "; worst %s %.3f\n", at, worst }' "$tmp/table"
