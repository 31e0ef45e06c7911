"""What the package writes appears whole, and where no other user can reach it."""
import os
import resource
import tempfile

import pytest
from pybuda.whole_file import own_temporary_folder, write_whole


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    file = tmp_path / "config.json"
    file.write_text("old")
    seen = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(file.read_text()))
    write_whole(file, "new")
    assert seen == ["old", "new"] and file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o666 & ~os_umask()


def os_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    file = tmp_path / "config.json"
    file.write_text("old")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        with pytest.raises(OSError):
            write_whole(file, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert file.read_text() == "old" and os.listdir(tmp_path) == ["config.json"]


def test_a_link_is_followed_and_a_device_written(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    write_whole(link, "text")
    assert link.is_symlink() and (tmp_path / "file").read_text() == "text"
    write_whole("/dev/null", "text")


def test_a_folder_that_another_user_took_first_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first = own_temporary_folder("build")
    assert own_temporary_folder("build") == first and os.stat(first).st_mode & 0o777 == 0o700
    os.rmdir(first)
    os.symlink(tmp_path, first)
    assert own_temporary_folder("build") not in (first, own_temporary_folder("build"))
    os.unlink(first)
    os.mkdir(first)
    os.chmod(first, 0o777)
    assert own_temporary_folder("build") != first
