"""same_report.py A B: succeeds when two reports (--json of ttsim run) are the same but for the measured time of the host."""
import difflib
import pathlib
import re
import sys

# end to end includes the host's time
measured = re.compile(r'"(host_seconds|host_time_share|end_to_end_per_second)": [^,\n]+')

reports = [measured.sub(r'"\1": ...', pathlib.Path(name).read_text()).splitlines() for name in sys.argv[1:3]]
lines = list(difflib.unified_diff(*reports, *sys.argv[1:3], lineterm=""))
print("\n".join(lines))
sys.exit(1 if lines else 0)
