"""A throw-away course in a folder of its own, for tests that drive nbgrader."""

import contextlib
import copy
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
LAB = "03_roofline"
# A secret as `autograder secret` makes it: exams and written questions refuse one that can be guessed.
STRONG_SECRET = "scrypt:9c41e07b6d2fa8153be9704cd86a1f25f30b7ce8429d615aa07e3cd1864bf952"


def nbgrader_here(folder, environment, *arguments):
    """Run nbgrader's command line in this process, from a folder; gives all that it says."""
    from nbgrader.apps import NbGraderApp

    said, code = io.StringIO(), 0
    with (
        contextlib.chdir(folder),
        patch.dict(os.environ, environment),
        patch.object(sys, "path", list(sys.path)),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        NbGraderApp.clear_instance()
        app = NbGraderApp.instance()
        try:
            app.initialize(list(arguments))
            app.subapp.start()
        except SystemExit as end:
            code = end.code
        finally:
            type(app.subapp).clear_instance()
    assert code in (0, None), said.getvalue()
    return said.getvalue()


class Course:
    """The solutions, labs and configuration of this repository, copied; nbgrader's own command line."""

    def __init__(self, root):
        self.root = root
        for name in ("solutions", "labs", "nbgrader_config.py"):
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
        self.environment = os.environ | {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "CHIP2CLUSTER_HOME": str(root / "record"),
            "CHIP2CLUSTER_SECRET": "for the tests",
            "JUPYTER_CONFIG_DIR": str(root / "jupyter"),
            "JUPYTER_RUNTIME_DIR": str(root / "runtime"),
            "IPYTHONDIR": str(root / "ipython"),
        }

    def nbgrader(self, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def nbgrader_here(self, *arguments):
        """The same in this process, which has loaded nbgrader already."""
        return nbgrader_here(self.root, self.environment, *arguments)

    def notebook(self, folder):
        return json.loads((self.root / folder / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))

    def answers(self):
        """The sources of the solution cells, by cell id."""
        return {
            cell["id"]: cell["source"]
            for cell in self.notebook("solutions")["cells"]
            if cell["metadata"].get("nbgrader", {}).get("solution")
        }

    def submit(self, student, edits):
        notebook = copy.deepcopy(self.notebook("labs"))
        for cell in notebook["cells"]:
            cell["source"] = edits.get(cell["id"], cell["source"])
        folder = self.root / "autograder/work/submitted" / student / LAB
        folder.mkdir(parents=True)
        (folder / f"lab_{LAB}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    def gradebook(self):
        # Here, since the worker processes of the tests import this module and nbgrader takes two seconds.
        from nbgrader.api import Gradebook

        return Gradebook(f"sqlite:///{self.root}/autograder/work/gradebook.db", "chip2cluster")

    def feedback(self, student):
        return (self.root / f"autograder/work/feedback/{student}/{LAB}/lab_{LAB}.html").read_text(encoding="utf-8")
