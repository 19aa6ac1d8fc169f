"""What the scripts that make the fixtures share.

Every module and command that they name is one of the commit in README.md: a later change of names leaves them as they are.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

CHECKOUT, TARGET = (Path(argument).resolve() for argument in sys.argv[1:3])
LAB = "03_roofline"
FILE = f"lab_{LAB}.ipynb"
SECRET = "for the tests"


class Place:
    """A folder to work in, with an environment that finds the checkout and nobody's record."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        scratch = TARGET.with_name(f"{TARGET.name}.scratch")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CHIP2CLUSTER_")}
        self.environment |= {
            "PYTHONPATH": os.pathsep.join([str(CHECKOUT / "course"), str(CHECKOUT)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CHIP2CLUSTER_HOME": str(scratch / "record"),
            "CHIP2CLUSTER_SECRET": SECRET,
            "JUPYTER_CONFIG_DIR": str(scratch / "jupyter"),
            "IPYTHONDIR": str(scratch / "ipython"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }

    def python(self, *arguments, codes=(0,)):
        """Run Python, stop at an exit code that is not expected, and return the output."""
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        print(*arguments, "->", done.returncode, flush=True)
        if done.returncode not in codes:
            sys.exit(done.stdout + done.stderr)
        return done.stdout

    def autograder(self, *arguments, codes=(0,)):
        """Run ``autograder``."""
        return self.python("-m", "autograder", *arguments, codes=codes)

    def nbgrader(self, *arguments):
        """Run ``nbgrader``."""
        return self.python("-m", "nbgrader", *arguments)


def read(file):
    """Read JSON, such as a notebook."""
    return json.loads(file.read_text(encoding="utf-8"))


def write(file, data):
    """Write JSON, such as a notebook."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def model_answers(solution):
    """Sources of the solution cells by id, without nbgrader's marks."""
    return {
        cell["id"]: "\n".join(line for line in "".join(cell["source"]).splitlines() if "### " not in line)
        for cell in read(solution)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }


def answered(released, answers):
    """Read a notebook and put answers into its cells by id."""
    notebook = read(released)
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    return notebook
