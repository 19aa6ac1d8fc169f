"""The package as a wheel: what the student bundle and the lab in the browser install.

``python -m course.publish.wheel`` writes it into ``build/dist``.
"""

import re
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import chip2cluster

ROOT = Path(__file__).resolve().parents[2]
NAME = f"chip2cluster-{chip2cluster.__version__}-py3-none-any.whl"

# The files of the package other than its modules. This list does not read pyproject.toml's, so that a slip there is found.
OWN = re.compile(
    rf"""
      autograder/(graded_help|serverextension)\.json
    | autograder/(exam|grading/(marking|reports))/templates/\w+(\.js)?\.html\.j2
    | chip2cluster/(overrides\.json|serverextension\.json|py\.typed)
    | chip2cluster/explore/((explorer|handle|links|list|machine|play|sweep)\.js|(explorer|scale|touch)\.css)
    | chip2cluster/data/(\w+/)?\w+(\.schema)?\.json
    | chip2cluster/data/measure/(collectives|cpu_roofline)\.csv
    | chip2cluster/data/measure/gpu/(README\.md|about\.json|train_kernels_h[12]00\.csv\.gz)
    | chip2cluster/data/measure/gpu/(attention|concurrency|copies|latency|launches|launches_from_c)\.csv
    | chip2cluster/data/measure/gpu/(power|power_phases|products|steps|training|triad)\.csv
    | chip2cluster/data/slurm/(priorities|shares)\.csv
    | chip2cluster/data/sdsc_sp2_sample(\.swf|-notice\.txt)
    | chip2cluster/data/typeface/(README\.md|Chip2ClusterSans-(\w+\.(ttf|woff2)|licence\.txt))
    | chip2cluster-{re.escape(chip2cluster.__version__)}\.(
          data/data/(etc|share)/jupyter/[\w./]+/chip2cluster(_marking)?\.json
        | dist-info/(METADATA|RECORD|WHEEL|entry_points\.txt)
        | dist-info/licenses/(LICENSE|LICENSE-prose|course/chip2cluster/data/[\w/]+-(notice|licence)\.txt)
      )
    """,
    re.VERBOSE,
)
MODULE = re.compile(r"(autograder|chip2cluster)/(\w+/)*\w+\.py")
# What only a checkout has of the packages: students' work, skeletons, the words of model answers, and goals.
LEFT_OUT = re.compile(
    r"autograder/(work|scaffold/templates)/|chip2cluster/chapters/(GOALS\.md|\w+/(goals\.toml|written_question\.py))"
)
SHOWN = 10  # as many names stand in an error


class NotDistributable(ValueError):
    """The reason why a file must not be handed out."""


def build(folder, root=ROOT):
    """Build the wheel of the checkout at ``root`` in ``folder``, in place of any older one, and return its path.

    The build needs no network and gives the same bytes for the same files.

    Raises
    ------
    NotDistributable
        If the wheel holds a file that is not the package's own; it is deleted then.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("chip2cluster-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the wheel could not be built:\n{done.stderr.strip()}")
    target = folder / NAME
    try:
        check(target)
    except NotDistributable:
        target.unlink()
        raise
    return target


def check(file):
    """Raise `NotDistributable` if the wheel ``file``, a path or a file object, holds anything but the package's own files."""
    with zipfile.ZipFile(file) as archive:
        found = unexpected_files(archive.namelist())
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise NotDistributable(
            f"the wheel holds files that are not the package's own: {', '.join(found[:SHOWN])}{more}. Move each out of the package. "
            f"If it belongs there: a folder of modules needs an __init__.py, and any other file a place in OWN of "
            f"course/publish/wheel.py"
        )


def unexpected_files(names):
    """Return the names in a wheel that are not the package's own, sorted.

    A module is the package's own if each folder above it is a package. No list tells a stray module from a new one.
    """
    names = set(names)
    return sorted(name for name in names if not _is_expected(name, names))


def _is_expected(name, names):
    if LEFT_OUT.match(name):
        return False
    if MODULE.fullmatch(name):
        return all(f"{folder}/__init__.py" in names for folder in PurePosixPath(name).parents if folder.name)
    return OWN.fullmatch(name) is not None


if __name__ == "__main__":
    try:
        print(build(ROOT / "build" / "dist"))
    except NotDistributable as error:
        sys.exit(str(error))
