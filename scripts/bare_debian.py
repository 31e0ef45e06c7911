"""Root folders of Debian releases with nothing but the smallest system, as debootstrap makes them, to try there what a
fresh machine would do. Needs root."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv[0]).name
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
# npm needs the machine's certificates where the network puts its own before those of servers
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
COPIED_CERTIFICATES = "/var/lib/certificates.crt"  # inside the root folder
CACHE = "/var/cache/ccache"


def folder_of_own() -> pathlib.Path:
    """An empty folder for root folders, which is removed at the end. The program starts itself again in a namespace of
    mounts, which end with it: whoever removes the folder does not see them."""
    inside = "TTSIM_BARE_FOLDER"
    if inside in os.environ:
        return pathlib.Path(os.environ[inside])
    if os.geteuid() != 0:
        sys.exit(f"{PROGRAM}: needs root, for debootstrap and chroot")
    with tempfile.TemporaryDirectory() as name:
        sys.exit(subprocess.run(["unshare", "--mount", sys.executable, *sys.argv],
                                env={**os.environ, inside: name}).returncode)


class BareDebian:
    """A root folder of a Debian release, and where its commands start. `cache`: ccache's folder, or None."""

    def __init__(self, folder: pathlib.Path, release: str, cache: pathlib.Path | None = None) -> None:
        self.root, self.start = folder, "/"
        self.mounts: list[pathlib.Path] = []
        made = subprocess.run(["debootstrap", "--variant=minbase", release, folder], capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(f"{PROGRAM}: debootstrap: {made.stdout[-1000:]}{made.stderr}")
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, folder / COPIED_CERTIFICATES.lstrip("/"))
        self.mount("-t", "proc", "proc", at="proc")
        if cache:
            self.mount("--bind", str(cache), at=CACHE)

    def mount(self, *arguments: str, at: str) -> None:
        place = self.root / at.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *arguments, place], check=True)
        self.mounts.append(place)

    def remove(self) -> None:
        """Removes the folder before the program's end. What is mounted in it is left alone."""
        for place in reversed(self.mounts):
            subprocess.run(["umount", place], check=True)
        shutil.rmtree(self.root)

    def begin(self, command: str) -> subprocess.Popen[str]:
        """Starts it; its output and its errors come by `stdout`."""
        environment = dict(ENVIRONMENT)
        if (self.root / CACHE.lstrip("/")).exists():
            # ccache keeps the objects of each language apart, for the compiler's warnings
            environment |= {"CCACHE_DIR": CACHE, "LANG": os.environ.get("LANG", "C")}
        if CERTIFICATES.exists():
            environment["NODE_EXTRA_CA_CERTS"] = COPIED_CERTIFICATES
        return subprocess.Popen(["chroot", self.root, "/bin/sh", "-c", f"cd {shlex.quote(self.start)} && {command}"],
                                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run(self, command: str) -> str:
        """Its output, which is shown if it fails."""
        process = self.begin(command)
        printed, _ = process.communicate()
        if process.returncode != 0:
            sys.exit(f"{PROGRAM}: exit code {process.returncode}: {command}\n{printed[-4000:]}")
        return printed

    def copy_sources(self, target: str) -> None:
        """The files under version control, as in a fresh clone."""
        place = self.root / target.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
        subprocess.run(["cp", "-P", "--parents", "-t", place, *filter(None, files.decode().split("\0"))], cwd=ROOT, check=True)
