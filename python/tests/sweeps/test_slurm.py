"""A sweep on Slurm: slurmctld, slurmd and munged of this machine, on loopback."""
import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import pytest

import ttsim
from ttsim.sweeps import Store
from ttsim.sweeps.show import query

DAEMONS = ("munged", "slurmctld", "slurmd")


def daemon(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def configuration(folder, host):
    lines = {
        "ClusterName": "test", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmUser": getpass.getuser(), "SlurmdUser": getpass.getuser(),
        "AuthType": "auth/munge", "AuthInfo": f"socket={folder}/munge.socket", "SlurmctldPort": free_port(),
        "SlurmdPort": free_port(), "StateSaveLocation": f"{folder}/state", "SlurmdSpoolDir": f"{folder}/spool",
        "SlurmctldPidFile": f"{folder}/slurmctld.pid", "SlurmdPidFile": f"{folder}/slurmd.pid",
        "SlurmctldLogFile": f"{folder}/slurmctld.log", "SlurmdLogFile": f"{folder}/slurmd.log",
        "ProctrackType": "proctrack/pgid", "TaskPlugin": "task/none", "JobAcctGatherType": "jobacct_gather/none",
        "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU", "ReturnToService": 2, "MpiDefault": "none",
    }
    text = "\n".join(f"{key}={value}" for key, value in lines.items())
    return (f"{text}\nNodeName={host} NodeAddr=127.0.0.1 CPUs={max(2, os.cpu_count() or 2)} State=UNKNOWN\n"
            f"PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP\n")


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """A cluster of one node. Where it cannot be started, the test says why."""
    missing = [name for name in DAEMONS if daemon(name) is None]
    if missing:
        pytest.skip(f"Slurm: {', '.join(missing)} missing: apt-get install slurmctld slurmd munge")
    if os.geteuid() != 0:
        pytest.skip("Slurm: slurmd starts jobs of others, so it runs as root")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))  # not tmp_path: names of sockets have at most 107 bytes
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    host = socket.gethostname().split(".")[0]
    (folder / "slurm.conf").write_text(configuration(folder, host))
    monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
    munge = [daemon("munged"), "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
             f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed"]
    logs = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(munge, **logs)]
    time.sleep(0.5)
    running += [subprocess.Popen([daemon("slurmctld"), "-D", "-i"], **logs), subprocess.Popen([daemon("slurmd"), "-D", "-N", host], **logs)]
    try:
        for _ in range(150):
            found = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, check=False)
            if "idle" in found.stdout:
                break
            time.sleep(0.2)
        else:
            texts = {name: (folder / f"{name}.log") for name in ("slurmctld", "slurmd")}
            why = [text.read_text()[-300:] for text in texts.values() if text.exists()]
            pytest.skip(f"Slurm: it does not start here: {found.stdout} {found.stderr} {why}")
        yield folder
    finally:
        for one in reversed(running):
            one.terminate()
            one.wait()
        shutil.rmtree(folder, ignore_errors=True)


def test_slurm_jobs_give_the_same_results(spec, tmp_path, slurm):
    given = spec(axes={"run.inputs_count": [1, 2, 3]}, measures=["cycles"])
    local = ttsim.sweep(given, tmp_path / "local")
    options = {"interface": "lo", "log_directory": str(tmp_path), "job_cpu": 1, "python": sys.executable,
               "job_extra_directives": ["--mem=0"], "job_script_prologue": [
                   f"export PYTHONPATH={os.environ.get('PYTHONPATH', '')}", f"export TTSIM={os.environ['TTSIM']}"]}
    cluster = ttsim.sweep(given, tmp_path / "slurm", engine="slurm", workers=2, cluster_options=options)
    assert (cluster.run, cluster.failed) == (3, 0)
    tables = [sorted(query(Store(one.store.folder), columns=["key", "cycles", "status"])[1]) for one in (local, cluster)]
    assert tables[0] == tables[1]
