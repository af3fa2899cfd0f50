#!/bin/sh
# Fills the corpora of the fuzz targets from the golden vectors: texts, files, and pages of files;
# and from designs.
# Needs xxd. Run it in this folder.
set -e
vectors=../test/vectors/cert
mkdir -p corpus/assembler corpus/disassembler corpus/elf_reader corpus/simulator
for text in "$vectors"/*.asm; do
    name=$(basename "$text" .asm)
    for choice in 0 1 2 3; do
        { printf "%s" "$choice"; cat "$text"; } > "corpus/assembler/$name.$choice"
    done
done
for hex in "$vectors"/*.elf.hex; do
    name=$(basename "$hex" .elf.hex)
    xxd -r -p "$hex" > "corpus/elf_reader/$name"
    { printf '0'; xxd -r -p "$hex"; } > "corpus/simulator/$name"
    # the first page begins behind the program headers with 0xFFFF and its number 0
    at=$(xxd -r -p "$hex" | xxd -p | tr -d '\n' | grep -b -o 'ffff0000' | head -1 | cut -d: -f1)
    if [ -n "$at" ]; then
        { printf '000'; xxd -r -p "$hex" | tail -c +$((at / 2 + 1)) | head -c 1024; } \
            > "corpus/disassembler/$name"
    fi
done
mkdir -p corpus/parse_mlir
cp seeds/parse_mlir/*.mlir corpus/parse_mlir
mkdir -p corpus/core_decoder corpus/core_engine corpus/core_files
grep -v '^#' ../test/vectors/core/golden.tsv | while IFS="$(printf '\t')" read -r arch hex _ text; do
    case $arch in aie2) choice=00 strict=81 ;; aie2p) choice=01 strict=82 ;; *) choice=02 strict=83 ;; esac
    printf '%s%s' "$choice" "$hex" | xxd -r -p > "corpus/core_decoder/$arch.$hex"
    # each bundle twice, so that what it leaves is read
    printf '%s%s%s' "$choice" "$hex" "$hex" | xxd -r -p > "corpus/core_engine/$arch.$hex"
    printf '%s%s%s' "$strict" "$hex" "$hex" | xxd -r -p > "corpus/core_engine/$arch.strict.$hex"
    printf '%s\n' "$text" > "corpus/core_files/$arch.$hex"
done
cp ../test/vectors/containers/design/core_npu1_1col/core_0_2.elf corpus/core_files
# bundles of compiled code, 2 kB each
(cd corpus/core_engine && { printf '\000'; cat ../../../test/vectors/core/aie2-bundles.bin; } | split -b 2048 - compiled.)
mkdir -p corpus/drra
cp ../examples/drra-*/*.drra ../test/driver/Inputs/*.drra corpus/drra
mkdir -p corpus/npu_files
find ../test/vectors/containers -type f -size -16k \( -name '*.bin' -o -name '*.pdi' -o -name '*.elf' -o -name '*.xclbin' \
    -o -name '*.asm' \) | while read -r file; do
    cp "$file" "corpus/npu_files/$(echo "${file#../test/vectors/containers/}" | tr / _)"
done
