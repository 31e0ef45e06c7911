#!/usr/bin/env python3
"""Adds the licences of the shared libraries that auditwheel has put into a wheel: the copyright files of their Debian
packages, in the folder of licences of the wheel.

    scripts/wheel_licences.py WHEEL"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile


def package_of(library: str) -> str:
    """The Debian package of a library: "libfmt-1a2b3c4d.so.9.1.0" is libfmt.so.9.1.0 of libfmt9."""
    name = re.sub(r"-[0-9a-f]{8}(?=[.])", "", library)
    found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True).stdout
    packages = {line.split(":")[0] for line in found.splitlines() if not line.startswith("diversion")}
    if not packages:
        sys.exit(f"wheel_licences: no Debian package has {name}")
    return min(packages)


def copyrights(libraries: list[str]) -> dict[str, bytes]:
    """Copyright files by package."""
    files = {}
    for library in libraries:
        package = package_of(library)
        files[package] = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
    return files


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wheel = pathlib.Path(sys.argv[1])
    written = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        libraries = [name.rpartition("/")[2] for name in names if ".libs/" in name and not name.endswith("/")]
        record = next(name for name in names if name.endswith(".dist-info/RECORD"))
        folder = record.removesuffix("RECORD") + "licenses/libraries/"
        added = {f"{folder}{package}.txt": text for package, text in copyrights(libraries).items()}
        for entry in old.infolist():
            if entry.filename != record:
                new.writestr(entry, old.read(entry))
        for name, text in added.items():
            new.writestr(name, text)
        new.writestr(record, old.read(record).decode() + "".join(record_line(*one) for one in added.items()))
    written.replace(wheel)
    print(f"wheel_licences: {len(added)} packages of {len(libraries)} libraries")


main()
