"""Put the site together: pages, packages, settings, and JupyterLite around them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import wheel as wheel_of_the_course
from ..pyodide import CACHE, Distribution, fetch_engine
from . import lock, pages, records, wheels

ROOT = Path(__file__).resolve().parents[3]
KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", "anywidget", KERNEL)
FRONT = "00_start.ipynb"
OPEN_AT = "open_at.js"
# A reader came for a page: no news, no questions about updates.
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "defer"},
}


@dataclass(frozen=True)
class Site:
    """A built site: its ``folder``, and the needs of the course that it lacks."""

    folder: Path
    missing: tuple
    from_afar: bool

    @property
    def summary(self):
        """What was built, in a sentence."""
        where = "Pyodide comes from where its makers serve it" if self.from_afar else "nothing comes from afar"
        lacking = f"; pages that need {', '.join(self.missing)} do not run on it" if self.missing else ""
        return f"The lab without a server is in {self.folder}; {where}{lacking}."


def build(site, pyodide=None, wheel=None):
    """Build the lab without a server.

    Parameters
    ----------
    site : path
        The folder of the book, such as ``build/site``. The lab goes into ``lite`` in it; an
        older lab, or the page that stands for none, is replaced, and nothing else is touched.
    pyodide : path, optional
        A folder with Pyodide, in the version that the kernel wants, to be served with
        the site: the whole distribution, or npm's package, which has no compiled
        libraries. Without it the site fetches Pyodide from where its makers serve it.
    wheel : path, optional
        The course's wheel; built from this checkout when not given.

    Returns
    -------
    Site

    Raises
    ------
    NoPyodide
        If Pyodide's list of packages can neither be found nor fetched by npm.
    """
    target = Path(site).resolve() / "lite"
    distribution = Distribution(pyodide or fetch_engine(CACHE), served_from_afar=pyodide is None)
    extensions = _extensions()
    given = [
        records.add(wheel or wheel_of_the_course.build(CACHE / "own"), CACHE / "recorded"),
        *sorted((extensions[KERNEL] / "static/pypi").glob("*.whl")),
    ]
    resolved = lock.resolve(distribution, _newest(given), CACHE / "wheels")
    with TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        size = "some tens of MB" if pyodide is None else "a few MB"
        contents = pages.write(ROOT, scratch / "contents", size)
        _configure(scratch, extensions, local=pyodide is not None)
        built = scratch / "site"
        _jupyterlite(scratch, contents, built)
        lock.write(distribution, resolved, built / "static/pyodide-lock")
        if pyodide is not None:
            distribution.copy(built / "static/pyodide")
        (built / "index.html").write_text(_entrance(), encoding="utf-8")
        _open_at_the_place(built / "lab/index.html")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(built, target)
    return Site(target, resolved.missing, pyodide is None)


def _extensions():
    """Where the few parts of JupyterLab lie that the site needs besides its core."""
    from jupyter_core.paths import jupyter_path

    extensions = {}
    for name in EXTENSIONS:
        folders = (Path(path) / name for path in jupyter_path("labextensions"))
        extensions[name] = next((folder for folder in folders if (folder / "package.json").exists()), None)
        if extensions[name] is None:
            raise LookupError(f"{name} is not installed here: pip install -e .[site]")
    return extensions


def _newest(files):
    """One wheel a package: the kernel brings two of one, for old and new widgets."""
    return {wheels.Wheel(file).name: file for file in files}.values()


def _configure(folder, extensions, local):
    options = {"lockFileURL": "./static/pyodide-lock/pyodide-lock.json", "packages": list(lock.KERNEL)}
    kernel = {"loadPyodideOptions": options} | ({"pyodideUrl": "./static/pyodide/pyodide.mjs"} if local else {})
    page = {
        "appName": "Chip to Cluster",
        "exposeAppInBrowser": "true",  # for open_at.js
        # Pages opened on an earlier visit stay closed: each would start a Python of its own.
        "enableMemoryStorage": True,
        "workspacesStorageDrivers": ["memoryStorageDriver"],
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
    }
    # Only these parts, whatever else is installed on the machine that builds.
    only = {"ignore_sys_prefix": ["federated_extensions"], "federated_extensions": list(map(str, extensions.values()))}
    for name, content in (
        ("jupyter-lite.json", {"jupyter-lite-schema-version": 0, "jupyter-config-data": page}),
        ("jupyter_lite_config.json", {"LiteBuildConfig": only}),
        ("overrides.json", SETTINGS),
    ):
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")


def _jupyterlite(folder, contents, target):
    options = ("--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages", "--no-libarchive")
    command = [
        sys.executable,
        "-m",
        "jupyterlite_core",
        "build",
        *options,
        "--contents",
        contents,
        "--output-dir",
        target,
    ]
    # The times that a reader sees beside each file come from here, so two builds of one commit are alike.
    environment = {"SOURCE_DATE_EPOCH": _committed(), **os.environ}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"JupyterLite could not be built:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def _open_at_the_place(lab):
    """Let the lab open a page at the place that the address names."""
    shutil.copy(Path(__file__).with_name(OPEN_AT), lab.with_name(OPEN_AT))
    page, end = lab.read_text(encoding="utf-8"), "</head>"
    if page.count(end) != 1:
        raise RuntimeError(f"{lab} has no end of its head, so nothing can be put before it")
    lab.write_text(page.replace(end, f'<script type="module" src="{OPEN_AT}"></script>{end}'), encoding="utf-8")


def _committed():
    """When this checkout was last committed, in seconds; a fixed time where there is no git."""
    try:
        done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return "1767225600"
    return done.stdout.strip() or "1767225600"


def _entrance():
    """The page at the site's root: straight to the first page of the course."""
    target = f"lab/index.html?path={FRONT}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Chip to Cluster in your browser</title>\n'
        # JupyterLite looks for its settings here first.
        '<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{}</script>\n'
        f'<meta http-equiv="refresh" content="0; url={target}"></head>\n'
        f'<body><p><a href="{target}">Chip to Cluster in your browser</a></p></body></html>\n'
    )
