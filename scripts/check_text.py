#!/usr/bin/env python3
"""Whitespace and ASCII rules of text files: file:line: error: what is wrong. Used by scripts/check-format."""
import sys


def problems(path):
    with open(path, "rb") as file:
        data = file.read()
    if data and not data.endswith(b"\n"):
        yield data.count(b"\n") + 1, "no newline at the end of the file"
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.endswith(b"\r"):
            yield number, "carriage return"
        elif line != line.rstrip():
            yield number, "space at the end of the line"
        if b"\t" in line:
            yield number, "tab"
        if not line.isascii() and not path.endswith(".md"):
            yield number, "not ASCII"


def main():
    count = 0
    for path in sys.argv[1:]:
        for number, what in problems(path):
            print(f"{path}:{number}: error: {what}", file=sys.stderr)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
