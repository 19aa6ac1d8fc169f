"""The folder of an instructor who grades a class, and a syllabus of their own."""

import csv
import shutil

from making import CHECKOUT, FILE, LAB, Place, answered, model_answers, read, write

PEOPLE = ("ann,Ann,Lee", "bob,Bob,May", "cid,Cid,Poe", "dan,Dan,Roy")
SETTINGS = """
# Ours.
c.LateSubmissionPlugin.penalty_method = "zero"
c.Dates.believe_timestamps = True
c.Ask.sandbox = "auto"
c.CanvasExport.identifier = "SIS User ID"
"""
ESSAYS = dict.fromkeys(("recommendation", "second-answer"), "The H200, since decoding is bound by memory.")
BOBS = {
    "largest_batch": "def largest_batch(memory_gb, weights_gb, cache_gb):\n    return math.floor(memory_gb / cache_gb)",
    "efficiency": "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    raise NotImplementedError",
}
CIDS = {
    "tokens_per_second": "def tokens_per_second(:\n",
    "own_rate": "def own_rate(parameters, batch):\n    return 0.0",
}
MARKS = f"""
from nbgrader.api import Gradebook

with Gradebook("sqlite:///autograder/work/gradebook.db", "chip2cluster") as book:
    for student, cell, points, words in (
        ("ann", "recommendation", 5, "Clear."),
        ("ann", "second_answer", 2, ""),
        ("bob", "recommendation", 3, "Which numbers?"),
        ("bob", "efficiency-check", 1, ""),
    ):
        grade = book.find_grade(cell, "lab_{LAB}", "{LAB}", student)
        grade.manual_score, grade.needs_manual_grade = points, False
        if words:
            book.find_comment(cell, "lab_{LAB}", "{LAB}", student).manual_comment = words
    book.db.commit()
"""


def class_course(root):
    """Two releases, a roster, dates, a collection, a group, marks, an exam on paper and one as a notebook."""
    here = Place(root)
    config = (CHECKOUT / "nbgrader_config.py").read_text(encoding="utf-8")
    (root / "nbgrader_config.py").write_text(config + SETTINGS, encoding="utf-8")
    shutil.copytree(CHECKOUT / "solutions" / LAB, root / "solutions" / LAB)
    write(root / "autograder/graded_help.json", {"all": "3", "roofline": "2"})
    (root / "people.csv").write_text("\n".join(["student,first_name,last_name", *PEOPLE, ""]), encoding="utf-8")
    (root / "groups.csv").write_text("group,student\n1,cid\n1,dan\n", encoding="utf-8")
    here.autograder("roster", "people.csv")
    here.autograder("question", LAB, "--add")
    _download(here, root)
    here.autograder("due", LAB, "2026-01-31 23:59 Europe/Berlin")
    here.autograder("due", LAB, "2026-02-03 23:59 Europe/Berlin", "--student", "bob")
    here.autograder("collect", LAB, "download")
    _dates(root)
    here.autograder("group", LAB, "groups.csv")
    here.autograder("grade", LAB, codes=(1,))
    here.python("-c", MARKS)
    _expected(here, root / "expected")
    _paper_exam(here, root)
    _notebook_exam(here, root)


def _download(here, root):
    """Release the lab twice; bob's work is made from the first release, which had other points and words."""
    solution, release = root / "solutions" / LAB / FILE, root / "labs" / LAB / FILE
    answers, whole = model_answers(solution) | ESSAYS, read(solution)
    first = read(solution)
    for cell in first["cells"]:
        if cell["id"] == "largest_batch-check":
            cell["metadata"]["nbgrader"]["points"] = 2
        if cell["id"] == "hand-in":
            cell["source"] = "**Done?** Hand it in."
    write(solution, first)
    here.autograder("labs", LAB)
    handed_in = {"bob": answered(release, answers | BOBS)}
    write(solution, whole)
    here.autograder("labs", LAB)
    handed_in |= {"ann": answered(release, answers), "cid": answered(release, model_answers(solution) | CIDS)}
    for student, notebook in handed_in.items():
        write(root / "download" / student / FILE, notebook)


def _dates(root):
    """Write when the work of bob and cid came; that of ann is two days late by a ``timestamp.txt``."""
    dates = root / "autograder/work/dates" / f"{LAB}.csv"
    with open(dates, encoding="utf-8", newline="") as stream:
        rows = {row["student"]: row for row in csv.DictReader(stream)}
    rows["bob"]["received"] = "2026-02-01 09:00 Europe/Berlin"
    rows["cid"] = {"student": "cid", "received": "2026-01-30 12:00 UTC"}
    with open(dates, "w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, ["student", "received", "due", "late"], lineterminator="\n")
        table.writeheader()
        table.writerows(rows.values())
    file = root / "autograder/work/submitted/ann" / LAB / "timestamp.txt"
    file.write_text("2026-02-02 22:59:00 UTC", encoding="utf-8")


def _expected(here, folder):
    """What that version says of these marks."""
    folder.mkdir()
    here.autograder("grade", LAB, "--json", folder / "grade.json", codes=(1,))
    here.autograder("feedback", LAB)
    for kind, name in (("csv", "marks"), ("canvas", "canvas"), ("moodle", "moodle")):
        here.autograder("export", LAB, "--format", kind, "--to", folder / f"{name}.csv", codes=(1,))
    (folder / "report.txt").write_text(here.autograder("report", LAB), encoding="utf-8")


def _paper_exam(here, root):
    """Ann answers all as the key has it, bob makes the first named mistake of each task, cid writes 1."""
    here.autograder("exam", "final", "--students", "people.csv", "--topics", "roofline", "--minutes", "20")
    exam = read(root / "autograder/work/exams/final/exam.json")
    rows = [["student", *(str(1 + number) for number in range(len(exam["tasks"])))]]
    rows.append(["ann", *(repr(one["answer"]) for one in exam["papers"]["ann"])])
    rows.append(["bob", *(repr(one["slips"][0]["answer"]) for one in exam["papers"]["bob"])])
    rows.append(["cid", *("1" for _ in exam["tasks"])])
    (root / "answers.csv").write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    here.autograder("exam", "final", "--marks", "answers.csv", codes=(1,))


def _notebook_exam(here, root):
    """Ann hands in the model answers, bob the first of them."""
    name = "exam_quiz/exam_quiz.ipynb"
    here.autograder("exam", "quiz", "--notebook", "--topics", "links", "--minutes", "12")
    here.nbgrader("generate_assignment", "exam_quiz")
    answers = model_answers(root / "solutions" / name)
    for student, given in {"ann": answers, "bob": dict([*answers.items()][:1])}.items():
        write(root / "autograder/work/submitted" / student / name, answered(root / "labs" / name, given))
    here.autograder("grade", "exam_quiz", "--json", root / "expected/grade-quiz.json")


def syllabus(file):
    """A term of an instructor's own, copied from the course's."""
    terms = (CHECKOUT / "course/teaching/terms.toml").read_text(encoding="utf-8")
    about, first, *_ = terms.split("[[term]]\n")
    file.write_text(f"{about}[[term]]\n{first}".replace('"14 weeks"', '"Ours"'), encoding="utf-8")
    Place(CHECKOUT).python("-m", "course.teaching", file, "--start", "2027-02-01")
