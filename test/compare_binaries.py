#!/usr/bin/env python3
"""Compares what two builds of aiec left in two folders: `compare_binaries.py OLD NEW [FIELD...]`.

* ELF files: all sections but the debug section (`.aiec.*`), by name and content.
* JSON: the fields that both have, but for the FIELDs.
* Everything else byte for byte.

Prints what differs, nothing if nothing does.
"""

import json
import struct
import sys
from pathlib import Path

# Fields of reports that differ on purpose.
EXCEPTED_FIELDS = frozenset(sys.argv[3:])
# Sections that hold names and lines, not code.
DEBUG_SECTIONS = (".aiec", ".debug")
UID_SECTION = ".note.xrt.UID"


def sections(data):
    """Name, address and content of each section of an ELF, in order, the string tables left out."""
    wide = data[4] == 2
    if wide:
        (table,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    else:
        (table,) = struct.unpack_from("<I", data, 0x20)
        size, count, names = struct.unpack_from("<HHH", data, 0x2E)
    layout = "<IIQQQQ" if wide else "<IIIIII"
    headers = [struct.unpack_from(layout, data, table + size * n) for n in range(count)]
    start = headers[names][4] if headers else 0
    found = []
    for name, kind, _, address, offset, length in headers:
        end = data.index(b"\0", start + name)
        text = data[start + name : end].decode()
        # the note is a hash of the whole file, debug section included
        if kind == 3 or text.startswith(DEBUG_SECTIONS) or text == UID_SECTION:
            continue
        content = b"" if kind == 8 else data[offset : offset + length]
        found.append((text, address, content))
    return found


def compare_elf(name, old, new):
    """Sections that differ."""
    old, new = sections(old), sections(new)
    if [s[:2] for s in old] != [s[:2] for s in new]:
        yield f"{name}: sections {[s[0] for s in old]} and {[s[0] for s in new]}"
        return
    for before, after in zip(old, new):
        if before[2] != after[2]:
            pairs = zip(before[2], after[2])
            first = next((n for n, (a, b) in enumerate(pairs) if a != b), "the end")
            sizes = f"{len(before[2])} and {len(after[2])} bytes"
            yield f"{name}: section {before[0]} differs at {first} ({sizes})"


def compare_json(path, old, new):
    """Fields of both that differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if key in new and key not in EXCEPTED_FIELDS:
                yield from compare_json(f"{path}.{key}", old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for n, (before, after) in enumerate(zip(old, new)):
            yield from compare_json(f"{path}[{n}]", before, after)
    elif old != new:
        yield f"{path}: {json.dumps(old)[:70]} and {json.dumps(new)[:70]}"


def compare(old, new):
    """What differs between two folders."""
    names = [{f.name for f in folder.iterdir()} for folder in (old, new)]
    for name in sorted(names[0] ^ names[1]):
        yield f"{name}: one build writes it only"
    for name in sorted(names[0] & names[1]):
        before, after = (old / name).read_bytes(), (new / name).read_bytes()
        if before == after:
            continue
        if before.startswith(b"\x7fELF") and after.startswith(b"\x7fELF"):
            yield from compare_elf(name, before, after)
        elif name.endswith(".json"):
            yield from compare_json(name, json.loads(before), json.loads(after))
        else:
            lines = [data.decode(errors="replace").splitlines() for data in (before, after)]
            pairs = enumerate(zip(*lines), 1)
            line = next((n for n, (a, b) in pairs if a != b), min(map(len, lines)) + 1)
            shown = [text[line - 1][:70] if line <= len(text) else "" for text in lines]
            yield f"{name}:{line}: {shown[0]!r} and {shown[1]!r}"


if __name__ == "__main__":
    for difference in compare(Path(sys.argv[1]), Path(sys.argv[2])):
        print(difference)
