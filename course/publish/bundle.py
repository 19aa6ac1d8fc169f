"""The course as one zip file for a learning platform: pages, labs and package, no solutions.

A student unpacks it, installs the wheel inside, and has everything that the
repository gives a student. The same files give the same bytes.
"""

import io
import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from string import Template

import chip2cluster
from autograder.grading.gradebook.release import edited_notebooks
from autograder.secret import values_key
from autograder.student import membership
from autograder.workspace import assistant_guide

from . import wheel

ROOT = wheel.ROOT
NAME = f"chip2cluster-labs-{chip2cluster.__version__}"
# Copied as they are. Nothing else of the repository goes in unless it is named here.
COPIED = ("environment.yml", "constraints.txt", "LICENSE", "LICENSE-prose")
GENERATED = ("README.md", "requirements.txt", wheel.NAME, membership.CLASS_FILE, assistant_guide.NAME)
# A page is NUMBER_TOPIC or one of the reference pages. A lab has the name of its folder, with lab_ in front or not.
NOTEBOOK = re.compile(
    r"course/(\d+_\w+|bibliography|errors|glossary|notation|reality|review)\.ipynb|labs/(?!exam_)([^/]+)/(lab_)?\2\.ipynb"
)
EPOCH = (1980, 1, 1, 0, 0, 0)


def build(folder, root=ROOT, students=None):
    """Write the bundle of the course at ``root`` into ``folder`` and return its path.

    With ``students``, their ids, it is for one class: it lists the class and gives each student individual numbers, drawn from
    the secret of the instructor who builds it. Exams that were released to ``labs/exam_NAME`` are left out.

    Raises
    ------
    wheel.NotDistributable
        When somebody has worked in a page or a lab: what they wrote would go to everybody. Also when the bundle, or
        the wheel in it, would hold a file that is not the course's own. No bundle is written then.
    """
    root, folder = Path(root), Path(folder)
    labs = [file for file in sorted(root.glob("labs/*/*.ipynb")) if not file.parent.name.startswith("exam_")]
    notebooks = [*sorted(root.glob("course/*.ipynb")), *labs]
    touched = [file for file in notebooks if _has_outputs(file)] + [
        file for file in edited_notebooks(root / "labs") if file in labs
    ]
    if touched:
        names = ", ".join(str(file.relative_to(root)) for file in dict.fromkeys(touched))
        raise wheel.NotDistributable(f"{names} has been worked in; put the released file back, then make the bundle")
    contents = {str(file.relative_to(root).as_posix()): file.read_bytes() for file in notebooks}
    contents |= {name: (root / name).read_bytes() for name in COPIED}
    with tempfile.TemporaryDirectory() as place:
        contents[wheel.NAME] = wheel.build(place, root).read_bytes()
    contents["requirements.txt"] = f"--constraint constraints.txt\n./{wheel.NAME}\n".encode()
    contents["README.md"] = _readme().encode()
    contents[assistant_guide.NAME] = assistant_guide.TEXT.encode()
    if students is not None:
        contents[membership.CLASS_FILE] = json.dumps(membership.class_data(values_key(), students), indent=1).encode()

    name = f"{NAME}.zip" if students is None else f"{NAME}-class.zip"
    with tempfile.TemporaryDirectory() as place:
        archive = _write(Path(place) / name, contents)
        check(archive)
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copyfile(archive, folder / name))


def _write(target, contents):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(f"{NAME}/{name}", EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, contents[name])
    return target


def check(file):
    """Raise `wheel.NotDistributable` if the bundle ``file``, or the wheel in it, holds anything but the course's own files."""
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        inside = archive.read(f"{NAME}/{wheel.NAME}")
    found = [name.removeprefix(f"{NAME}/") for name in names if not _is_expected(name)]
    if found:
        raise wheel.NotDistributable(
            f"the bundle would hold files that are not the course's own: {', '.join(found)}. Move each out of course/ "
            f"or labs/. A page is called course/NUMBER_TOPIC.ipynb, and a lab labs/NAME/NAME.ipynb or "
            f"labs/NAME/lab_NAME.ipynb"
        )
    wheel.check(io.BytesIO(inside))


def _is_expected(name):
    top, _, name = name.partition("/")
    return top == NAME and (name in COPIED or name in GENERATED or NOTEBOOK.fullmatch(name) is not None)


def _has_outputs(file):
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def _readme():
    text = Path(__file__).with_name("bundle.md").read_text(encoding="utf-8")
    return Template(text).substitute(version=chip2cluster.__version__, wheel=wheel.NAME)
