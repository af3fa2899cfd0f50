#!/bin/bash
# compare_binaries.sh OLD NEW [DESIGN...]: compares what two builds of aiec write.
#
# Without DESIGN: the designs and control programs of examples/, test/end_to_end/ and test/deadlock/, and the golden
# vectors of test/vectors/cert.
# * Every design is compiled in each division of work, every control program is assembled: the ELF (without its debug
#   section), the assembly and the exit code must be the same.
# * Every one is simulated, with the inputs in its folder: exit code, cycles, outputs and the fields of the report that
#   both builds write must be the same.
# Messages may be worded anew; with MESSAGES=1 they must be the same too.
#
# Differences on purpose are in compare_binaries.exceptions, with their reasons: the name of a run (a
# pattern of the shell) and a tab, then why; `field NAME` is a field of reports in all runs. They are counted apart; a run that no
# longer differs is reported.
set -u
old=$(realpath "$1") new=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.." || exit 2
designs=("$@")
partial=${1:-}
if [ ${#designs[@]} -eq 0 ]; then
  mapfile -t designs < <(find examples test/end_to_end test/deadlock test/vectors/cert -name '*.mlir' -o -name '*.asm' | sort)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0 different=0 excepted=0 succeeded=0
declare -A reason met
fields=()
while IFS=$'\t' read -r name why; do
  case $name in
    "" | \#*) ;;
    "field "*) [ -n "${MESSAGES:-}" ] || fields+=("${name#field }") ;;
    *) reason[$name]=$why ;;
  esac
done < test/compare_binaries.exceptions

# exception NAME: the exception that a run falls under, or nothing.
exception() {
  local name
  for name in "${!reason[@]}"; do
    # shellcheck disable=SC2053
    if [[ $1 == $name ]]; then
      echo "$name"
      return
    fi
  done
}

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
  python3 test/compare_binaries.py "$work/old" "$work/new" "${fields[@]}" > "$work/difference" 2>&1
  if [ -s "$work/difference" ]; then
    local known
    known=$(exception "$name")
    if [ -n "$known" ]; then
      excepted=$((excepted + 1))
      met[$known]=1
      return
    fi
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
echo "$compared runs compared, $succeeded of them succeeded, $excepted differ on purpose, $different differ"
if [ -z "${partial:-}" ]; then
  for name in "${!reason[@]}"; do
    [ -n "${met[$name]:-}" ] || echo "no longer differs: $name"
  done
fi
[ "$different" -eq 0 ]
