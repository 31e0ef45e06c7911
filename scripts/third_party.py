#!/usr/bin/env python3
"""The bundled parts of THIRD_PARTY.md and their licence texts.

    scripts/third_party.py            prints the names of the parts whose licences ask for their text beside programs
    scripts/third_party.py FOLDER     writes the licence text of each to FOLDER/NAME.txt"""
import argparse
import importlib.metadata
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rows() -> list[tuple[str, str, str]]:
    """Kind (deb, pypi or npm), package and licence. "PACKAGE/HEADER" is a part of a package that has its own licence."""
    found = []
    for line in (ROOT / "THIRD_PARTY.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and (match := re.fullmatch(r"(deb|pypi|npm) (\S+)", cells[1])):
            found.append((match[1], match[2], cells[2]))
    return found


def installed() -> list[tuple[str, str]]:
    """Kind and package of the parts whose licences ask for their text beside programs. BSL-1.0 does not; pages have the
    texts of theirs inside."""
    return [(kind, name) for kind, name, licence in rows() if kind != "npm" and licence != "BSL-1.0"]


def text_of(kind: str, name: str) -> bytes | None:
    """None if the package is not installed, such as that of the Python extension where it is not built."""
    if kind == "deb":
        notice = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        return notice.read_bytes() if notice.exists() else None
    package, _, header = name.partition("/")
    try:
        files = importlib.metadata.distribution(package).files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    if header:  # its first comment is the licence
        found = next((file.locate().read_bytes() for file in files if file.name == header), None)
        return found and found.partition(b"*/")[0] + b"*/\n"
    texts = [file.locate().read_bytes() for file in files if re.match(r"licen[cs]e", file.name, re.I)]
    return b"\n".join(texts) or None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    folder = parser.parse_args().folder
    for kind, name in installed():
        if folder is None:
            print(name)
        elif text := text_of(kind, name):
            folder.mkdir(parents=True, exist_ok=True)
            part = name.rpartition("/")[2].removesuffix(".h")
            (folder / f"{part}.txt").write_bytes(text)
        elif kind == "deb":
            print(f"third_party: Debian's package {name} is not installed: its licence text is left out", file=sys.stderr)


if __name__ == "__main__":
    main()
