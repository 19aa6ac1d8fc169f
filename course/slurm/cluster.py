"""Starting and stopping: munged, slurmctld and one slurmd a node, all in one folder."""

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
EVERY_SECOND = "bf_interval=1,bf_resolution=1,bf_window=1440,bf_max_job_test=1000,sched_interval=1,sched_min_interval=0"
# The one setting that makes a policy of the course of each.
POLICIES = {
    "fcfs": ("sched/builtin", EVERY_SECOND),
    "easy": ("sched/backfill", f"bf_job_part_count_reserve=1,{EVERY_SECOND}"),
    "conservative": ("sched/backfill", EVERY_SECOND),
}
TEMPLATE = Path(__file__).with_name("slurm.conf")


def missing() -> str:
    """Why no Slurm can be started here, in a sentence; empty if one can."""
    absent = [name for name in PROGRAMS if _program(name) is None]
    if absent:
        return f"{', '.join(absent)} not found: apt-get install --no-install-recommends slurm-wlm munge"
    return "" if os.geteuid() == 0 else "slurmd needs root to start jobs"


class Cluster:
    """A Slurm of ``nodes`` virtual nodes n1, n2, ...; a context manager.

    Parameters
    ----------
    nodes : int
        How many.
    policy : {"fcfs", "easy", "conservative"}
        Name of a policy in `chip2cluster.scheduling`; the last is Slurm's own.
    folder : path, optional
        Folder of all files; by default a new one below /tmp, which is removed at the end.
    patience : float
        Seconds that a step of the start may take.
    features : dict of str to str, optional
        Features of nodes, to be asked for with ``--constraint``: ``{"n1": "a100,nvlink"}``.
    settings : str
        Further lines of ``slurm.conf``.

    Raises
    ------
    RuntimeError
        If it cannot start, with the end of the log that says why.
    """

    def __init__(self, nodes=4, policy="conservative", folder=None, patience=20.0, features=None, settings=""):
        if not isinstance(nodes, int) or not 1 <= nodes <= 64:
            raise ValueError(f"nodes must be a whole number from 1 to 64, got {nodes!r}")
        if policy not in POLICIES:
            raise ValueError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
        self.nodes, self.policy, self.patience, self.settings = nodes, policy, patience, settings
        self.features = dict(features or {})
        if unknown := sorted(set(self.features) - {f"n{number}" for number in range(1, nodes + 1)}):
            raise ValueError(f"features must be of nodes n1 to n{nodes}, got {', '.join(unknown)}")
        self._own = folder is None
        self.root = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp") if self._own else folder).resolve()
        self.environment = {**os.environ, "SLURM_CONF": str(self.root / "etc/slurm.conf")}

    def __enter__(self):
        """Start the cluster, and stop it again if a step of the start fails."""
        if running := self._pids():
            raise RuntimeError(f"a cluster runs in {self.root} already: processes {', '.join(map(str, running))}")
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        """Stop the cluster."""
        self.stop()

    def start(self) -> None:
        """Write the configuration, start the daemons, wait until all nodes are idle."""
        if reason := missing():
            raise RuntimeError(reason)
        for name in ("etc", "state", "log", "spool", "run"):
            (self.root / name).mkdir(parents=True, exist_ok=True, mode=0o755)
        self.root.chmod(0o755)
        self._write()
        key = self.root / "etc/munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self._daemon(
            "munged", "--force", f"--socket={self.root}/run/munge.socket", f"--key-file={key}",
            f"--pid-file={self.root}/run/munged.pid", f"--log-file={self.root}/log/munged.log",
            f"--seed-file={self.root}/state/munged.seed",
        )  # fmt: skip
        self._daemon("slurmctld", "-i")
        for number in range(1, self.nodes + 1):
            (self.root / f"spool/n{number}").mkdir(exist_ok=True)
            self._daemon("slurmd", "-N", f"n{number}")
        self._until(lambda: self._states() == {"idle"}, "all nodes to be idle", "slurmctld")

    def stop(self) -> None:
        """Cancel what runs, end the daemons by the ids that they wrote down, wait for them, and clear up."""
        with suppress(RuntimeError, subprocess.TimeoutExpired):
            self._cancel()
        pids = self._pids()
        for pid in pids:
            _end(pid, signal.SIGTERM)
        deadline = time.monotonic() + 8
        while any(map(_alive, pids)) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in filter(_alive, pids):
            _end(pid, signal.SIGKILL)
        if self._own:
            shutil.rmtree(self.root, ignore_errors=True)

    def run(self, *command: str) -> str:
        """What a Slurm command of this cluster prints."""
        done = subprocess.run(
            command, env=self.environment, cwd="/tmp", capture_output=True, text=True, timeout=self.patience
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def _pids(self):
        """Daemons of this folder that live; an id that somebody else has by now is none."""
        found = []
        for file in sorted((self.root / "run").glob("*.pid")):
            text = file.read_text().strip()
            if text.isdigit() and _alive(int(text)) and str(self.root) in _environment(int(text)):
                found.append(int(text))
        return found

    def _cancel(self):
        """A daemon that ends leaves its jobs running."""
        if not list((self.root / "run").glob("slurmctld.pid")):
            return
        if jobs := self.run("squeue", "-h", "-o", "%A").split():
            self.run("scancel", *jobs)
            deadline = time.monotonic() + 8
            while self.run("squeue", "-h", "-o", "%A").split() and time.monotonic() < deadline:
                time.sleep(0.1)

    def _write(self):
        scheduler, parameters = POLICIES[self.policy]
        ports = _free_ports(self.nodes + 1)
        text = TEMPLATE.read_text(encoding="utf-8")
        given = {
            "ROOT": str(self.root), "USER": getpass.getuser(), "PORT": str(ports[0]),
            "SCHEDULER": scheduler, "PARAMETERS": parameters,
        }  # fmt: skip
        for name, value in given.items():
            text = text.replace(f"@{name}@", value)
        lines = [
            f"NodeName=n{number} NodeHostname=n{number} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=1000"
            + (f" Feature={self.features[f'n{number}']}" if f"n{number}" in self.features else "")
            for number, port in enumerate(ports[1:], 1)
        ]
        lines.append(
            f"PartitionName=all Nodes=n[1-{self.nodes}] Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE"
        )
        lines.append(self.settings)
        (self.root / "etc/slurm.conf").write_text(text + "\n".join(lines) + "\n", encoding="utf-8")

    def _daemon(self, name, *arguments):
        """They go into the background by themselves."""
        command, said = [_program(name), *arguments], self.root / f"log/{name}.stderr"
        with said.open("w") as stderr:
            started = subprocess.Popen(
                command, env=self.environment, cwd="/tmp", stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr
            )
            try:
                failed = started.wait(self.patience)
            except subprocess.TimeoutExpired:
                started.kill()
                failed = started.wait()
        if failed:
            raise RuntimeError(f"{name} did not start: {said.read_text(errors='replace').strip()}\n{self._log(name)}")

    def _states(self):
        try:
            return set(self.run("sinfo", "-h", "-N", "-o", "%T").split())
        except RuntimeError:  # not yet
            return set()

    def _until(self, done, what, log):
        deadline = time.monotonic() + self.patience
        while not done():
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {self.patience:g} s for {what}\n{self._log(log)}")
            time.sleep(0.1)

    def _log(self, name):
        """The last lines of a daemon's logs."""
        logs = sorted((self.root / "log").glob(f"{name}*.log"))
        return "\n".join(line for log in logs[:1] for line in log.read_text(errors="replace").splitlines()[-8:])


def _program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")


def _free_ports(count):
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def _environment(pid):
    """With what a process was started, its command and its variables."""
    with suppress(OSError):
        folder = Path(f"/proc/{pid}")
        return (folder / "cmdline").read_text(errors="replace") + (folder / "environ").read_text(errors="replace")
    return ""


def _end(pid, how):
    with suppress(ProcessLookupError):
        os.kill(pid, how)
