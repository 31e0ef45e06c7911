"""Controls a program in a tmux terminal: sends keys and reads screens."""
import os
import re
import shutil
import subprocess
import tempfile
import time

HAS_TMUX = shutil.which("tmux") is not None


class TmuxScreen:
    """A terminal that runs a shell command. Use as a context manager: `with TmuxScreen("ttperf a.ttperf", 80, 24) as screen`."""

    def __init__(self, command, columns, lines, **environment):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = os.path.join(self.folder.name, "tmux")
        settings = {"LC_ALL": "C.UTF-8", **environment}
        words = ["env", "-u", "NO_COLOR", "-u", "LINES", "-u", "COLUMNS", *(f"{k}={v}" for k, v in settings.items())]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), *words, "sh", "-c",
                  f"trap : INT; {command}; echo exit code $?; stty -a; sleep 60")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=True,
                              timeout=20).stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False, timeout=20)
        self.folder.cleanup()

    def text(self, escapes=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if escapes else []))

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)
        return self

    def wait_for(self, pattern, timeout=20, settle=0.2):
        """Waits until the screen shows `pattern` and is unchanged for `settle` seconds, because a frame may arrive in
        parts. Returns the screen; AssertionError after `timeout` seconds."""
        end = time.monotonic() + timeout
        text, since = None, 0.0
        while True:
            now, last, text = time.monotonic(), text, self.text()
            if text != last:
                since = now
            found = re.search(pattern, text)
            if found and now - since >= settle:
                return text
            if now > end:
                shown = "keeps changing" if found else f"does not show '{pattern}'"
                raise AssertionError(f"the screen {shown}:\n{text}")
            time.sleep(0.05)

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def child_pid(self, name):
        """The process id of the shell's child `name`."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        found = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", shell], capture_output=True, text=True, check=False)
        for line in found.stdout.splitlines():
            if line.split()[1] == name:
                return int(line.split()[0])
        raise AssertionError(f"shell {shell} has no child process {name}")
