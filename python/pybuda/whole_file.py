"""Text files that are written atomically, even if the disk is full or power fails, and safe temporary folders."""
from __future__ import annotations

import contextlib
import os
import stat
import tempfile


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Writes a temporary file beside `path` and renames it; devices and pipes are written directly. On OSError the old
    file stays."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "w", encoding="utf-8") as device:
            device.write(text)
        return
    folder = os.path.dirname(target)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(target)[:200]}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(out.fileno(), 0o666 & ~mask)
            os.fsync(out.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(above)
    finally:
        os.close(above)


def own_temporary_folder(name: str) -> str:
    """The folder of this user in the shared temporary folder; other users cannot write to it.

    If another user has already created that name, a new folder with an unpredictable name.
    """
    folder = os.path.join(tempfile.gettempdir(), f"{name}-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    found = os.lstat(folder)
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022:
        return folder
    return tempfile.mkdtemp(prefix=f"{name}-{os.geteuid()}-")
