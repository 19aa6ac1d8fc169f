"""Pyodide, for the lab in the browser and the exercises of the book: version, packages, and where its files are."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL, PYODIDE_LOCK, PYODIDE_PYTHON_VERSION, PYODIDE_VERSION

CACHE = Path(__file__).resolve().parents[2] / "build/cache"
PYTHON = PYODIDE_PYTHON_VERSION
ENGINE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", PYODIDE_LOCK)


class NoPyodide(RuntimeError):
    """Pyodide can neither be found nor fetched; the message says what to do."""


def fetch_engine(cache):
    """Return the folder of npm's package of Pyodide, fetched on first use: the engine and its list, no packages."""
    folder = cache / f"pyodide-{PYODIDE_VERSION}"
    if (folder / PYODIDE_LOCK).exists():
        return folder
    if shutil.which("npm") is None:
        raise NoPyodide(
            "Python in the browser needs Pyodide: install npm, which fetches it, or name a folder "
            f"that holds Pyodide {PYODIDE_VERSION}"
        )
    draft = cache / f"pyodide-{PYODIDE_VERSION}.draft"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    done = subprocess.run(
        ["npm", "pack", "--silent", f"pyodide@{PYODIDE_VERSION}"], cwd=draft, capture_output=True, text=True
    )
    if done.returncode:
        raise NoPyodide(f"npm could not fetch Pyodide {PYODIDE_VERSION}: {done.stderr.strip()}")
    with tarfile.open(next(draft.glob("*.tgz"))) as archive:
        # Python 3.11.0 to 3.11.3 know no filters; npm has compared the archive with its published hash.
        archive.extractall(draft, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    shutil.rmtree(folder, ignore_errors=True)
    (draft / "package").rename(folder)
    shutil.rmtree(draft)
    return folder


class Distribution:
    """The packages of Pyodide: those of a folder alone, or all that its makers serve."""

    def __init__(self, folder, served_from_afar):
        self.folder, self.afar = Path(folder), served_from_afar
        if not (self.folder / PYODIDE_LOCK).exists():
            raise NoPyodide(f"{folder} holds no Pyodide: it has no {PYODIDE_LOCK}")
        self.lock = json.loads((self.folder / PYODIDE_LOCK).read_text(encoding="utf-8"))
        described = self.folder / "package.json"
        held = json.loads(described.read_text(encoding="utf-8"))["version"] if described.exists() else "of no version"
        if held != PYODIDE_VERSION:
            raise NoPyodide(
                f"{folder} holds Pyodide {held}; the kernel wants {PYODIDE_VERSION}, as its package.json would say"
            )

    def entries(self):
        """Entries of the lock whose files can be had, each with its address as seen from our lock."""
        at_hand = {}
        for name, entry in self.lock["packages"].items():
            if self.afar:
                at_hand[name] = {**entry, "file_name": f"{PYODIDE_CDN_URL}/{entry['file_name']}"}
            elif (self.folder / entry["file_name"]).exists():
                at_hand[name] = {**entry, "file_name": f"../pyodide/{entry['file_name']}"}
        return at_hand

    def copy(self, target):
        """Copy the engine and the packages at hand."""
        target.mkdir(parents=True)
        for name in (*ENGINE, *(file.name for file in self.folder.glob("*.whl"))):
            shutil.copy2(self.folder / name, target / name)
