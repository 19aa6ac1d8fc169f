"""Downloads in the layouts of Canvas and Moodle, for tests of collecting.

Names as in Canvas's lib/content_zipper.rb and Moodle's mod/assign/classes/downloader.php.
"""

import csv
import io
import json
import re
import zipfile

from autograder.grading.collect.roster import import_roster
from tests.grading.course import LAB
from tests.grading.fakes import submitted
from tests.grading.notebooks import answered

NOTEBOOK = f"lab_{LAB}.ipynb"
CANVAS_GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,lab 3 (4711)
    Points Possible,,,,,31
"Müller-O'Neil, Zoë",101,U1,zoe,Week 1,
"Doe, Jane",102,U2,jane,Week 1,
"Doe, Jane",103,U3,jane2,Week 1,
"van der Berg, Bo",104,U4,bo,Week 1,
"Student, Test",999,,,Week 1,
"""
MOODLE_PEOPLE = """First name,Last name,Email address,Groups
Zoë,Müller-O'Neil,zoe@example.org,
Jane,Doe,jane@example.org,
Jane,Doe,jane2@example.org,
Bo,van der Berg,bo@example.org,
"""


def lab_bytes(text="1"):
    """Return a lab with an answer that depends on the text."""
    return json.dumps(answered(largest_batch=f"def largest_batch(*all):\n    return {text}")).encode()


def zip_bytes(files):
    """Return the bytes of a zip; a value may be bytes, or a mapping for a zip in the zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, zip_bytes(data) if isinstance(data, dict) else data)
    return packed.getvalue()


def canvas_name(last, first, number, file, name=NOTEBOOK, late=False):
    """Return the name that Canvas gives to a file of a submission."""
    sortable = re.sub(r"[^\w]", "", re.sub(r"_(\d+)_", r"\1", f"{last}, {first}").lower())
    return "_".join([sortable, *(["LATE"] if late else []), str(number), str(file), name])


def moodle_path(name, number, file=NOTEBOOK, trailing=""):
    """Return the path that Moodle gives to a file of a submission; versions before 4.1 end the folder in an underscore."""
    return f"{name.replace('_', ' ')}_{number}_assignsubmission_file{trailing}/{file}"


def import_list(course, text):
    """Import a class list."""
    file = course.root / "list.csv"
    file.write_text(text, encoding="utf-8")
    return import_roster(course.root, file)


def mapping_rows(course):
    """Read the table of names and students, by name in the download."""
    with open(course.root / f"autograder/work/collected/{LAB}.csv", encoding="utf-8", newline="") as stream:
        return {row["handed_in_as"] or row["student"]: row for row in csv.DictReader(stream)}


def submitted_file(course, student, name=NOTEBOOK):
    file = submitted(course, student) / name
    return file.read_bytes() if file.exists() else None
