"""The words of the command line: commands, their options, and what each is for."""

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PURPOSE = (
    "The command line: ``autograder start`` for students, ``grade`` and its kin for instructors, the rest for authors."
)
COURSE = "the course folder (default: the one you are in, else the one of this autograder)"
CODES = """exit codes:
  0    done; for grade: everything was graded without errors
  1    done, but look at it; for grade: something was unreadable, graded with errors,
       or could not be entered in the gradebook; for export: somebody needs a person;
       for collect: nobody knows whose something is, or it cannot be read;
       for doctor and labs: a complaint
  2    nothing done: the command, the course or the cluster cannot be used as it is
  3    refused: no sandbox can run here, and --unsandboxed was not given
  130  interrupted; the same command goes on where it stopped
  141  whoever read the output stopped reading, as head does"""


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; ``command`` of what it reads is the name of the one to run."""
    parser = argparse.ArgumentParser(
        prog="autograder", description=PURPOSE, epilog=CODES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name, purpose):
        return commands.add_parser(
            name,
            help=purpose,
            description=purpose,
            epilog=CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    _for_students(add)
    _for_instructors(add)
    _for_authors(add)
    return parser


def _for_students(add):
    start = add("start", "copy chapters and labs into my_course and my_labs, to work in; existing files are kept")
    start.add_argument(
        "pages", nargs="*", metavar="PAGE", help="such as 03_roofline or lab_03_roofline; all when left out"
    )
    again = start.add_mutually_exclusive_group()
    again.add_argument(
        "--update",
        nargs="*",
        metavar="PAGE",
        help="bring copies up to date that are older than the course (these, or all), with your answers in them",
    )
    again.add_argument(
        "--reset", nargs="+", metavar="PAGE", help="begin these anew; the copies you had are kept beside"
    )
    start.add_argument(
        "--to", type=Path, metavar="DIR", help="where my_course and my_labs are (default: beside course)"
    )
    start.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="DIR",
        help="the folder that holds course and labs (default: the one of this autograder, or the one you are in)",
    )

    me = add("me", "say once who works in this folder, where the instructor's zip gives each student other numbers")
    me.add_argument("name", metavar="ID", help="your id in the instructor's list, often the name you log in with")
    me.add_argument("--change", action="store_true", help="the id that was given here before was a slip")


def _for_instructors(add):
    roster = add("roster", "enter a list of students, as a learning platform exports it")
    roster.add_argument(
        "file", type=Path, metavar="FILE", help="CSV: Canvas's gradebook, Moodle's participants, or your own"
    )
    roster.add_argument("--id", metavar="COLUMN", help="becomes the students' ids (default: the first that is known)")
    _course(roster)

    due = add("due", "set when a lab is due, in any time zone")
    _lab_of_course(due)
    when = due.add_mutually_exclusive_group(required=True)
    when.add_argument("time", nargs="?", metavar="TIME", help="such as '2027-01-31 23:59 Europe/Berlin'")
    when.add_argument("--never", action="store_true", help="take the date away")

    due.add_argument("--student", metavar="ID", help="only for this one; --never gives them the date of all again")

    group = add("group", "say who worked together: one hands in and is marked, all get the mark")
    _lab_of_course(group)
    members = group.add_mutually_exclusive_group(required=True)
    members.add_argument("file", nargs="?", type=Path, metavar="FILE", help="CSV with the columns group and student")
    members.add_argument("--none", dest="file", action="store_const", const=None, help="nobody worked together")

    collect = add("collect", "take what a learning platform gives into the course; nothing is lost")
    _lab_of_course(collect)
    collect.add_argument(
        "downloads",
        nargs="*",
        type=Path,
        metavar="DOWNLOAD",
        help="zips or folders; none for nbgrader's exchange",
    )
    collect.add_argument(
        "--from",
        dest="platform",
        choices=("canvas", "moodle", "exchange", "folder"),
        help="where it came from (default: by the names in it)",
    )
    collect.add_argument(
        "--worksheet", type=Path, metavar="FILE", help="Moodle's grading worksheet: who is who, and times"
    )
    collect.add_argument("--timezone", metavar="PLACE", help="of the times in it, such as Europe/Berlin")
    collect.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
    collect.add_argument("--undo", action="store_true", help="take the last collection back")

    grade = add("grade", "grade what was handed in, and enter it in nbgrader's gradebook")
    _lab_of_course(grade)
    grade.add_argument(
        "--submitted", type=Path, metavar="DIR", help="where submissions are, as DIR/STUDENT/LAB/LAB.ipynb"
    )
    grade.add_argument("--student", metavar="ID", help="only this one")
    grade.add_argument("--jobs", type=int, metavar="N", help="processes at once (default: one for each processor)")
    grade.add_argument("--json", type=Path, metavar="FILE", help="write a report there")
    grade.add_argument("--regrade", action="store_true", help="grade also what has not changed; marks by hand stay")
    grade.add_argument("--scheduler", metavar="ADDRESS", help="grade on the Dask cluster whose scheduler is there")
    grade.add_argument(
        "--unsandboxed",
        action="store_true",
        help="grade even where no sandbox runs: only if you trust all of these students",
    )

    feedback = add("feedback", "write a page of feedback for every graded student")
    _lab_of_course(feedback)
    feedback.add_argument("--student", metavar="ID", help="only this one")
    feedback.add_argument(
        "--zip", choices=("canvas", "moodle"), help="pack them, too, as this platform gives them to its students"
    )
    feedback.add_argument("--to", type=Path, metavar="FILE", help="the zip (default: LAB-feedback-PLATFORM.zip)")
    feedback.add_argument("--force", action="store_true", help="replace the zip if it exists")

    export = add("export", "write the marks to a file for a learning platform")
    _lab_of_course(export)
    export.add_argument("--format", choices=("csv", "canvas", "moodle"), default="csv", help="(default: csv)")
    export.add_argument("--to", type=Path, metavar="FILE", help="(default: LAB-FORMAT.csv)")
    export.add_argument("--force", action="store_true", help="replace the file if it exists")

    report = add("report", "sum up a lab: scores, misconceptions met, slowest, repaired, similar pairs")
    _lab_of_course(report)
    report.add_argument("--html", type=Path, metavar="FILE", help="write it as a page too")

    class_ = add(
        "class",
        "what the class thinks: guesses, mistakes by week, tasks that separate; without names",
    )
    _course(class_)
    class_.add_argument(
        "--journals", type=Path, nargs="+", default=[], metavar="DOWNLOAD", help="zips or folders of journals that students chose to hand in"
    )  # fmt: skip
    class_.add_argument(
        "--to", type=Path, metavar="FILE", help="write it as a page too, or as data where it ends in .json"
    )

    demo = add("demo", "make a class of odd submissions in a folder of its own, grade it, and show it")
    _lab_of_course(demo)
    demo.add_argument("--to", type=Path, metavar="DIR", help="a new folder (default: demo-LAB)")
    demo.add_argument("--submissions", type=int, default=60, metavar="N", help="how many (default: 60)")
    demo.add_argument("--open", action="store_true", help="open report and feedback in the browser, and formgrader")
    selftest = add(
        "selftest",
        "prove in half a minute, or a whole one where others compute, that this machine can grade",
    )
    selftest.add_argument("lab", nargs="?", default="03_roofline", help="with which lab (default: 03_roofline)")
    selftest.add_argument(
        "--root", type=Path, default=ROOT, help="the course folder (default: the one of this autograder)"
    )
    for trial in (demo, selftest):
        trial.add_argument(
            "--unsandboxed", action="store_true", help="also where no sandbox runs: it is our own code that is graded"
        )
    exam = add("exam", "draw an exam from the exercises, with other numbers for each student; mark it")
    exam.add_argument("name", nargs="?", help="what it is called, such as final-2027; another name is another exam")
    exam.add_argument("--students", type=Path, metavar="FILE", help="a CSV with a column id; each gets a paper")
    exam.add_argument("--copies", type=int, metavar="N", help="so many papers without names instead")
    exam.add_argument("--topics", metavar="A,B", help="topics of chapters, such as roofline,links (default: all)")
    exam.add_argument("--difficulty", metavar="N-M", help="dots of the exercises, such as 1-3 (default: 1-5)")
    exam.add_argument("--minutes", type=int, metavar="N", help="how long it may take, as the pages say (default: 60)")
    exam.add_argument(
        "--slip", type=float, metavar="SHARE", help="of the points, what a slip of unit or factor keeps (default: 0.5)"
    )
    exam.add_argument("--notebook", action="store_true", help="make it an assignment for nbgrader, in solutions/")
    exam.add_argument("--marks", type=Path, metavar="FILE", help="mark this CSV (student,1,2,…) of answers on paper")
    exam.add_argument("--force", action="store_true", help="with --marks: replace the marks that are there")
    exam.add_argument("--list", action="store_true", help="only list what can be asked, and why the rest cannot")
    exam.add_argument("--root", type=Path, default=_course_here(), help=COURSE)

    hints = add("hints", "choose how far hints and named mistakes go in graded labs, or say how far they do")
    hints.add_argument(
        "level", nargs="?", metavar="LEVEL", help="off, mistakes (names them, no hints), or hints up to 1, 2 or 3"
    )
    hints.add_argument("--labs", metavar="A,B", help="only these, such as 03_roofline,07_collectives (default: all)")
    _course(hints)

    question = add(
        "question",
        "show a lab's second written question, whose numbers follow from the secret; put it into the lab",
    )
    _lab_of_course(question)
    into = question.add_mutually_exclusive_group()
    into.add_argument("--add", action="store_true", help="put it into the lab, with model answer and rubric")
    into.add_argument("--remove", action="store_true", help="take it out again")
    question.add_argument("--points", type=float, metavar="N", help="with --add: what it gives, by hand (default: 4)")
    question.add_argument("--replace", action="store_true", help="with --add: in the place of one with other numbers")

    link = add("link", "make the link that brings a repository's pages to students on a JupyterHub (nbgitpuller)")
    link.add_argument("hub", help="its address, such as https://hub.example.edu")
    link.add_argument(
        "repository", help="address of the unpacked zip for students as a repository, never one with solutions"
    )
    link.add_argument("--branch", default="main", help="(default: main)")
    link.add_argument("--page", default="", metavar="FILE", help="opened then, such as course/00_start.ipynb")


def _for_authors(add):
    doctor = add("doctor", "prove that every exercise marks as it says; first, that nothing is half there")
    doctor.add_argument("topics", nargs="*", help="topics of chapters, such as roofline; all when left out")
    _course(doctor)
    new = add(
        "new",
        "write the skeleton of a chapter, an exercise, a lab or an assignment of your own; the doctor says what is to be filled in",
    )
    new.add_argument("kind", choices=("chapter", "exercise", "lab", "assignment"))
    new.add_argument(
        "name",
        help="a topic, such as memory; for an exercise its id, memory.refresh or lab.memory.refresh; 20_power for an assignment",
    )
    new.add_argument("--root", type=Path, default=_course_here(), help=COURSE)
    labs = add("labs", "write labs/ anew from solutions/")
    labs.add_argument("labs", nargs="*", metavar="LAB", help="a folder of solutions/; left out, all")
    labs.add_argument("--root", type=Path, default=_course_here(), help=COURSE)
    labs.add_argument("--check", action="store_true", help="only say whether labs/ is up to date")


def _course_here():
    """The folder that we are in where it is a course, such as an instructor's own; else the one of this autograder."""
    here = Path.cwd()
    return here if (here / "nbgrader_config.py").is_file() and (here / "solutions").is_dir() else ROOT


def _lab_of_course(command):
    command.add_argument("lab", help="name of the lab, such as 03_roofline")
    _course(command)


def _course(command):
    command.add_argument("--root", type=Path, default=_course_here(), help=COURSE)
