"""A real JupyterHub behind its real proxy, with the configuration of ``deploy/hub``, for tests.

As root each person is a user of the system with rights of their own, in a list of accounts that only this hub sees:
nothing is written to the machine's own. Without root all are one user, as in a trial.
"""

import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path

from tests.hub.user_server import Desk
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy" / "hub"
BIN = Path(sys.executable).parent
PEOPLE = ("instructor", "ann", "bob")
FIRST = 64001  # ids of users that no system gives away
PROXY = "configurable-http-proxy"
PATH = os.pathsep.join(map(str, (BIN, BIN.parent / "node/node_modules/.bin", os.environ.get("PATH", ""))))

CONFIGURATION = """
load_subconfig({deploy!r})
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}/"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{ports[1]}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.ConfigurableHTTPProxy.auth_token = {token!r}
c.JupyterHub.services.append({{"name": "test", "api_token": {token!r}}})
c.JupyterHub.load_roles.append(
    {{"name": "test", "services": ["test"], "scopes": ["admin:users", "admin:servers", "tokens", "access:services"]}}
)
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
"""


def missing():
    """What a hub needs and this machine has not; empty where it has all."""
    from importlib.util import find_spec

    if find_spec("jupyterhub") is None:
        return "JupyterHub is not installed"
    if shutil.which(PROXY, path=PATH) is None or shutil.which("node") is None:
        return f"no {PROXY}: install Node.js with npm, then `make test` fetches it"
    return "" if os.name == "posix" else "JupyterHub needs Linux or macOS"


def _shut(path):
    """The outermost folder on the way to a path that others may not pass; None where all may."""
    way = [folder for folder in reversed([path, *path.parents]) if folder.stat().st_mode & 0o005 != 0o005]
    return way[0] if way else None


def view(top):
    """Shell commands that show a hub accounts of its own, and its users this Python and this checkout.

    They run in a file system of the hub's own, so the machine's stays as it is. What lies behind a closed door, such
    as a Python in root's home, gets another way in, and nothing else there does.
    """
    lines = [f"mount --bind {top}/{kind} /etc/{kind}" for kind in ("passwd", "group")]
    needed = {Path(path).resolve() for path in (sys.base_prefix, sys.prefix, ROOT)}
    doors = sorted({door for path in needed if (door := _shut(path))})
    for door in doors:
        behind = [path for path in needed if path.is_relative_to(door)]
        stages = [top / "doors" / str(number) for number in range(len(behind))]
        quoted = [(shlex.quote(str(stage)), shlex.quote(str(path))) for stage, path in zip(stages, behind, strict=True)]
        lines += [f"mkdir -p {stage} && mount --bind {path} {stage}" for stage, path in quoted]
        lines += [f"mount -t tmpfs -o mode=755 none {shlex.quote(str(door))}"]
        lines += [f"mkdir -p {path} && mount --bind {stage} {path}" for stage, path in quoted]
    return " && ".join(lines)


class Accounts:
    """People with homes and, as root, accounts of their own, as long as it is entered.

    Attributes
    ----------
    top : Path
        All that is written lies in here.
    real : bool
        Whether people are users of the system.
    """

    def __init__(self, environment=(), people=PEOPLE):
        self.extra, self.people = dict(environment), people

    def __enter__(self):
        with ExitStack() as stack:
            self.top = Path(tempfile.mkdtemp(prefix="hub-", dir="/tmp"))
            stack.callback(shutil.rmtree, self.top, ignore_errors=True)
            self._lay_out()
            self._begin(stack)
            self._ended = stack.pop_all()
        return self

    def __exit__(self, *error):
        self._ended.close()

    def _begin(self, stack):
        """Start what else is needed, and have the stack end it."""

    # --- its folders, its accounts ------------------------------------------------------------
    def _lay_out(self):
        self.top.chmod(0o755)
        self.users = {name: FIRST + place for place, name in enumerate(self.people)}
        self.home = {name: self.top / "homes" / name for name in self.people}
        self.real = self._has_users()
        homes = self.top if self.real else self.top / "hub"
        self.home = {name: homes / "homes" / name for name in self.people}
        # Where the hub keeps its own: its database and the key of its cookies.
        (self.top / "hub").mkdir(mode=0o700)
        self.exchange, self.pages = self.top / "exchange", self.top / "pages"
        self.pages.mkdir()
        for name, home in self.home.items():
            home.mkdir(parents=True)
            if self.real:
                os.chown(home, self.users[name], self.users[name])

    def _has_users(self):
        """Write a list of accounts for this hub, where the system lets us show it one and its users can work."""
        if os.geteuid() or sys.platform != "linux" or not (shutil.which("unshare") and shutil.which("setpriv")):
            return False
        for kind, line in {"passwd": "{0}:x:{1}:{1}::{2}:/bin/sh\n", "group": "{0}:x:{1}:\n"}.items():
            own = "".join(line.format(name, user, self.home[name]) for name, user in self.users.items())
            (self.top / kind).write_text(Path("/etc", kind).read_text() + own)
        command = self.as_user("ann", [sys.executable, "-c", "import chip2cluster, autograder"], True)
        return subprocess.run(command, capture_output=True, cwd="/").returncode == 0

    def as_user(self, name, command, real=None):
        """A command line that runs it with the rights and accounts of this person."""
        user = str(self.users[name])
        rights = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
        return self._seen([*rights, *command] if real or self.real else command, real)

    def _seen(self, command, real=None):
        command = list(map(str, command))
        real = self.real if real is None else real
        return ["unshare", "--mount", "sh", "-c", f'{view(self.top)} && exec "$@"', "sh", *command] if real else command

    def environment(self, name):
        """What a person's commands find around them, outside the server that the hub started."""
        kept = {key: os.environ[key] for key in ("LANG", "TZ") if key in os.environ}
        # A PATH may begin with a folder that only its owner can enter.
        open_to_all = [place for place in PATH.split(os.pathsep) if os.path.isdir(place) and not _shut(Path(place))]
        return kept | {
            "PATH": os.pathsep.join([str(BIN), *open_to_all, os.defpath]),
            "HOME": str(self.home[name]),
            "USER": name,
            "JUPYTER_CONFIG_PATH": str(DEPLOY / "everybody"),
            "CHIP2CLUSTER_EXCHANGE": str(self.exchange),
        }

    def run(self, name, *command, cwd=None, check=True):
        """Run a command as this person, and return what it printed."""
        done = subprocess.run(
            self.as_user(name, command),
            cwd=cwd or self.home[name],
            env=self.environment(name),
            capture_output=True,
            text=True,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


class Hub(Accounts):
    """A hub that runs as long as it is entered."""

    # --- start and end ----------------------------------------------------------------------
    def _begin(self, stack):
        self._start()
        stack.callback(self._end)
        self._wait()

    def _start(self):
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        self.address, self.token = f"http://127.0.0.1:{ports[0]}", secrets.token_hex(16)
        configuration = self.top / "hub/jupyterhub_config.py"
        configuration.write_text(
            CONFIGURATION.format(deploy=str(DEPLOY / "jupyterhub_config.py"), ports=ports, token=self.token)
        )
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "CHIP2"))}
        environment |= {
            "PATH": PATH,
            "CHIP2CLUSTER_EXCHANGE": str(self.exchange),
            "CHIP2CLUSTER_PAGES": str(self.pages),
            **self.extra,
        }
        self.log = self.top / "hub/log"
        with open(self.log, "w") as stream:
            self.process = subprocess.Popen(
                self._seen([sys.executable, "-m", "jupyterhub", "-f", configuration]),
                cwd=self.top / "hub",
                env=environment,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )

    def _wait(self):
        def answers():
            if self.process.poll() is not None:
                raise RuntimeError(f"the hub ended:\n{self.log.read_text()[-4000:]}")
            with suppress(OSError):
                return self.ask("GET", "/hub/api/", self.token)

        wait_until(answers, seconds=120, what=lambda: f"the hub answers\n{self.log.read_text()[-4000:]}")

    def _end(self):
        """The hub ends its proxy and the servers that it started; what is left after that ends with its group."""
        self.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    # --- talking to it -----------------------------------------------------------------------
    def ask(self, method, path, token, body=None):
        """One request; gives what was answered, or raises ``urllib.error.HTTPError``."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path,
            data,
            {"Authorization": f"token {token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            said = answer.read()
        return json.loads(said) if said[:1] in (b"{", b"[") else said.decode()

    def refused(self, method, path, token, body=None):
        """The status with which a request is refused; 0 where it is not."""
        try:
            self.ask(method, path, token, body)
        except urllib.error.HTTPError as problem:
            return problem.code
        return 0

    def enter(self, name):
        """Let this person come in and start their server; gives what talks to it."""
        with suppress(urllib.error.HTTPError):  # known already
            self.ask("POST", f"/hub/api/users/{name}", self.token)
        token = self.ask("POST", f"/hub/api/users/{name}/tokens", self.token, {"note": "test"})["token"]
        self.ask("POST", f"/hub/api/users/{name}/server", self.token)
        wait_until(
            lambda: self.ask("GET", f"/hub/api/users/{name}", self.token)["servers"].get("", {}).get("ready"),
            seconds=120,
            what=lambda: f"{name} gets a server\n{self.log.read_text()[-6000:]}",
        )
        return Desk(self, name, token)
