#!/bin/bash
# compare_binaries.sh OLD NEW [DESIGN...]: compiles designs with two builds of aiec and compares what they write.
#
# Without DESIGN: those of examples/, test/end_to_end/ and test/deadlock/. Every design is compiled in each division of
# work; the ELF (debug section included), the assembly, findings and the exit code must be the same.
set -u
old=$1 new=$2
shift 2
cd "$(dirname "$0")/.." || exit 2
designs=("$@")
if [ ${#designs[@]} -eq 0 ]; then
  mapfile -t designs < <(find examples test/end_to_end test/deadlock -name '*.mlir' | sort)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0 different=0 compiled=0
for design in "${designs[@]}"; do
  for jobs in single per-column parallel; do
    for kind in ctrl-elf ctrl-asm; do
      for build in old new; do
        "${!build}" "$design" --jobs="$jobs" --emit="$kind" --output="$work/$build" > "$work/$build.out" 2>&1
        echo "exit $?" >> "$work/$build.out"
        [ -e "$work/$build" ] || touch "$work/$build"
      done
      compared=$((compared + 1))
      grep -q '^exit 0$' "$work/new.out" && compiled=$((compiled + 1))
      if ! cmp -s "$work/old" "$work/new" || ! cmp -s "$work/old.out" "$work/new.out"; then
        different=$((different + 1))
        echo "$design: $kind with --jobs=$jobs differs"
        diff "$work/old.out" "$work/new.out" | head -5
      fi
      rm -f "$work"/*
    done
  done
done
echo "$compared outputs compared, $compiled of them compiled, $different differ"
[ "$different" -eq 0 ]
