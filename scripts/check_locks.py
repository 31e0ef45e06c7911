#!/usr/bin/env python3
"""Checks that the locks of Python and npm packages are complete; see scripts/lock. Prints what is missing, exits with 1."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def python_locks() -> list[str]:
    """Every requirement has an exact version and a hash, and every name of the .in file is in its lock."""
    problems = []
    for lock in sorted((ROOT / "scripts").glob("requirements-*.txt")):
        text = re.sub(r"\\\n", " ", lock.read_text())
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        locked = set()
        for line in lines:
            match = re.match(r"([A-Za-z0-9_.-]+)==[^ ;]+", line)
            if not match:
                problems.append(f"{lock.name}: '{line.strip()[:60]}' has no exact version")
                continue
            locked.add(canonical(match[1]))
            if not re.search(r"--hash=sha256:[0-9a-f]{64}", line):
                problems.append(f"{lock.name}: {match[1]} has no hash")
            if "://" in line:
                problems.append(f"{lock.name}: {match[1]} has an address")
        source = lock.with_suffix(".in")
        wanted = source.read_text().splitlines() if source.exists() else []
        for line in wanted:
            if line.strip() and not line.startswith("#"):
                name = canonical(re.match(r"[A-Za-z0-9_.-]+", line)[0])
                if name not in locked:
                    problems.append(f"{lock.name}: {name} of {source.name} is missing; run scripts/lock")
    return problems


def npm_lock() -> list[str]:
    """Every package has an integrity hash, and its dependencies are in the lock for every platform."""
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    problems = []
    for path, package in packages.items():
        if path and "integrity" not in package:
            problems.append(f"package-lock.json: {path} has no integrity hash")
        if "resolved" in package or "funding" in package:
            problems.append(f"package-lock.json: {path} has an address")
        folders = [path]
        while "node_modules/" in folders[-1]:
            folders.append(folders[-1].rpartition("node_modules/")[0].rstrip("/"))
        for name in {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}:
            if not any(f"{folder}/node_modules/{name}".lstrip("/") in packages for folder in folders):
                problems.append(f"package-lock.json: {name}, needed by {path or 'the page'}, is missing; run scripts/lock")
    return problems


def main() -> int:
    problems = python_locks() + npm_lock()
    for problem in problems:
        print(f"lock: {problem}", file=sys.stderr)
    if not problems:
        print("lock: all locks are complete")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
