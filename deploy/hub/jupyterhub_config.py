"""A JupyterHub for this course, with nbgrader's exchange: README.md beside this file says how to set it up.

What differs from place to place comes from the environment; the defaults are those of README.md.
"""

import json
import os
import pwd
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (JupyterHub puts get_config here)
HERE = Path(__file__).resolve().parent
IS_ROOT = os.geteuid() == 0

INSTRUCTOR = os.environ.get("CHIP2CLUSTER_INSTRUCTOR", "instructor")
# The unpacked bundle, readable for everybody; nothing that only instructors may have.
PAGES = Path(os.environ.get("CHIP2CLUSTER_PAGES", "/srv/chip2cluster"))
# The Littlest JupyterHub has its own way to let people in, and accounts with another name.
IS_TLJH = bool(os.environ.get("CHIP2CLUSTER_TLJH"))
EXCHANGE = Path(os.environ.get("CHIP2CLUSTER_EXCHANGE", "/srv/nbgrader/exchange"))

# --- who, and as whom -----------------------------------------------------------------------
# Who has an account on this machine may come in. Each works with the rights of that account alone.
if not IS_TLJH:
    c.JupyterHub.authenticator_class = "pam"
    c.Authenticator.allow_all = True
    c.JupyterHub.spawner_class = "localprocess"
if not IS_ROOT:  # for a trial: nobody is kept from anybody's files
    c.JupyterHub.spawner_class = "simple"
    c.SimpleLocalProcessSpawner.home_dir_template = str(Path.cwd() / "homes" / "{username}")

# --- what each finds ------------------------------------------------------------------------
c.Spawner.default_url = "/lab"


def account(name) -> pwd.struct_passwd | None:
    """The system's account of somebody; None where there is none yet."""
    try:
        return pwd.getpwnam(f"jupyter-{name}" if IS_TLJH else name)
    except KeyError:
        return None


def prepare(spawner) -> None:
    """Close the home to others, and say whose numbers and which exchange count there."""
    is_student = spawner.user.name != INSTRUCTOR
    folders = [HERE / "students"] * is_student + [HERE / "everybody"]
    spawner.environment = spawner.environment | {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, folders)),
        "CHIP2CLUSTER_EXCHANGE": str(EXCHANGE),
    }
    if is_student and not IS_ROOT:
        spawner.environment["CHIP2CLUSTER_ONE_ACCOUNT"] = spawner.user.name
    # Numbers of one's own: the bundle's key, which students may know. The course's secret is never here.
    if (told := PAGES / "class.json").is_file():
        key = json.loads(told.read_text(encoding="utf-8"))["values_key"]
        spawner.environment["CHIP2CLUSTER_VALUES_KEY"] = key
    home = Path.cwd() / "homes" / spawner.user.name
    if IS_ROOT:
        if (mine := account(spawner.user.name)) is None:
            return
        home = Path(mine.pw_dir)
        home.chmod(0o700)
    # Kernels' sockets lie there, and a socket's path has a hundred letters at most.
    spawner.environment["JUPYTER_RUNTIME_DIR"] = str(home / ".jupyter-run")


c.Spawner.pre_spawn_hook = prepare


# --- several markers in one course -----------------------------------------------------------
# They share one server, which works as the instructor in the course folder; each marks under the name on the hub.
MARKERS = [name.strip() for name in os.environ.get("CHIP2CLUSTER_MARKERS", "").split(",") if name.strip()]


def marking_server() -> dict:
    """Return the server as a service of the hub; its page is /services/marking/marking/."""
    owner = account(INSTRUCTOR) if IS_ROOT else None
    home = Path(owner.pw_dir) if owner else Path.cwd() / "homes" / INSTRUCTOR
    course = os.environ.get("CHIP2CLUSTER_COURSE", str(home / "course"))
    found = {
        "name": "marking",
        "url": f"http://127.0.0.1:{os.environ.get('CHIP2CLUSTER_MARKING_PORT', '9999')}",
        "command": [sys.executable, "-m", "jupyterhub.singleuser", "--ServerApp.terminals_enabled=False"],
        "cwd": course,
        "environment": {
            "JUPYTER_CONFIG_PATH": str(HERE / "everybody"),
            "JUPYTER_RUNTIME_DIR": str(home / ".jupyter-marking"),
            "JUPYTERHUB_DEFAULT_URL": "/marking/",
            "CHIP2CLUSTER_EXCHANGE": str(EXCHANGE),
        },
    }
    return found | ({"user": INSTRUCTOR} if owner else {})


if MARKERS:
    c.JupyterHub.load_groups = {"markers": {"users": MARKERS}}
    c.JupyterHub.services.append(marking_server())
    c.JupyterHub.load_roles.append(
        {"name": "marking", "groups": ["markers"], "scopes": ["access:services!service=marking"]}
    )


# --- the exchange -----------------------------------------------------------------------------
def make(folder, mode, owner=None) -> None:
    """Make a folder with these rights; one that is there gets them too."""
    folder.mkdir(parents=True, exist_ok=True)
    if owner and IS_ROOT:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    folder.chmod(mode)


def make_exchange() -> None:
    """Make nbgrader's folders, each as open as it must be and no more.

    nbgrader wants the outermost writable for all, and students put work into ``inbound`` without seeing what lies
    there. With the sticky bit only its owner can move or remove what somebody has put there.
    """
    owner = account(INSTRUCTOR)
    if owner is None and IS_ROOT:
        sys.exit(f"there is no account for {INSTRUCTOR!r}: make one, or name another with CHIP2CLUSTER_INSTRUCTOR")
    if owner and IS_ROOT:  # also where nobody has come in by the hub yet
        Path(owner.pw_dir).chmod(0o700)
    course = EXCHANGE / "chip2cluster"
    make(EXCHANGE, 0o1777)
    make(course, 0o755, owner)
    make(course / "outbound", 0o755, owner)
    make(course / "inbound", 0o3733, owner)
    make(course / "feedback", 0o711, owner)


make_exchange()
