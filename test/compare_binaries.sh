#!/bin/bash
# compare_binaries.sh OLD NEW [DESIGN...]: compares what two builds of aiec write.
#
# Without DESIGN: the designs and control programs of examples/, test/end_to_end/ and test/deadlock/.
# * Every design is compiled in each division of work, every control program is assembled: the ELF (debug section
#   included), the assembly and the exit code must be the same.
# * Every one is simulated, with the inputs in its folder: exit code, cycles, outputs and report must be the same.
# Messages may be worded anew; with MESSAGES=1 they must be the same too.
#
# Differences on purpose against binaries of before November 2026:
# * --emit=ctrl-elf: the debug section names functions and source lines of core programs; the code is the same where
#   --emit=ctrl-asm is.
# * report.json has more fields; status and cycles are the same.
# * test/deadlock/packets_{split_and_joined,there_and_back}.mlir: six arbiters instead of eight.
# * test/end_to_end/channel-tasks: several tasks on a channel run each of them 256 times; it was a deadlock.
set -u
old=$(realpath "$1") new=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.." || exit 2
designs=("$@")
if [ ${#designs[@]} -eq 0 ]; then
  mapfile -t designs < <(find examples test/end_to_end test/deadlock -name '*.mlir' -o -name '*.asm' | sort)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0 different=0 succeeded=0

# compare NAME ARGUMENT...: runs both builds in folders of the same name and compares the files that they leave.
compare() {
  local name=$1 build
  shift
  for build in old new; do
    rm -rf "$work/here" "$work/$build"
    mkdir "$work/here"
    "${!build}" "$@" > "$work/here/messages" 2>&1
    echo "exit $?" > "$work/here/status"
    [ -n "${MESSAGES:-}" ] || rm "$work/here/messages"
    mv "$work/here" "$work/$build"
  done
  compared=$((compared + 1))
  grep -q '^exit 0$' "$work/new/status" && succeeded=$((succeeded + 1))
  if ! diff -r "$work/old" "$work/new" > "$work/difference"; then
    different=$((different + 1))
    echo "differs: $name"
    cut -c1-160 "$work/difference" | head -4
  fi
}

for design in "${designs[@]}"; do
  inputs=()
  for file in "$(dirname "$design")"/{arg,expected}*.bin; do
    number=$(basename "$file" .bin)
    case $number in
      arg[0-9]*) inputs+=(--arg "${number#arg}=$file") ;;
      expected[0-9]*) inputs+=(--out "${number#expected}=$work/here/out${number#expected}.bin") ;;
    esac
  done
  case $design in
    *.asm)
      compare "asm $design" asm "$design" -o "$work/here/out.elf"
      cp "$work/new/out.elf" "$work/program.elf" 2> /dev/null || continue
      compare "sim $design" sim "$work/program.elf" --max-cycles 200000 --report "$work/here/report.json"
      ;;
    *)
      for jobs in single per-column parallel; do
        for kind in ctrl-elf ctrl-asm; do
          compare "--emit=$kind --jobs=$jobs $design" \
            "$design" --jobs=$jobs --emit=$kind --output "$work/here/out"
        done
      done
      compare "sim $design" \
        sim "$design" "${inputs[@]}" --max-cycles 1000000 --report "$work/here/report.json"
      ;;
  esac
done
echo "$compared runs compared, $succeeded of them succeeded, $different differ"
[ "$different" -eq 0 ]
