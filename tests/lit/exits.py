"""exits.py CODE COMMAND...: runs COMMAND and succeeds when it exits with CODE."""
import subprocess
import sys

code = subprocess.run(sys.argv[2:], check=False).returncode
if code != int(sys.argv[1]):
    print(f"exit code {code} instead of {sys.argv[1]}", file=sys.stderr)
    sys.exit(1)
