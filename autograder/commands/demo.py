"""``autograder demo``: grade an invented class in a folder of its own."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from shlex import quote

from .common import DONE, add_lab_and_root, add_unsandboxed, progress_bar

HELP = "make a class of unusual submissions in a folder of its own, grade it, and show the result"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder demo``."""
    add_lab_and_root(parser)
    parser.add_argument("--to", type=Path, metavar="DIR", help="a new folder (default: demo-LAB)")
    parser.add_argument("--submissions", type=int, default=60, metavar="N", help="number of students (default: 60)")
    parser.add_argument("--open", action="store_true", help="open report and feedback in the browser, and formgrader")
    add_unsandboxed(parser)


def run(options: Namespace) -> int:
    """Make and grade the class, and print where its results are."""
    import subprocess
    import webbrowser

    from ..demo.demo import run_demo
    from ..grading.sanitize.terminal_text import printable

    to = (options.to or Path(f"demo-{options.lab}")).resolve()
    with progress_bar(options.lab) as progress:
        demo = run_demo(
            options.root, options.lab, to, options.submissions, unsandboxed=options.unsandboxed, progress=progress
        )
    width = max(len(one.student) for one in demo.submissions)
    for one in demo.submissions:
        row = demo.run.rows[one.student]
        print(
            f"{printable(one.student):{width}}  {row['score']:6g} of {row['max_score']:g}  {row['status']:18}  {one.oddity}"
        )
    print(
        f"""
The report:      {demo.report}
The class:       {demo.class_report}
Feedback:        {quote(str(demo.feedback[-1])) if demo.feedback else "none was written"}, and {max(0, len(demo.feedback) - 1)} more
Oddities:        {to / "odd.csv"}
The gradebook:   {to / "autograder/work/gradebook.db"}
Formgrader:      cd {to} && jupyter lab        then Nbgrader > Formgrader; the essays wait in Manual Grading
All the rest:    autograder report {options.lab} --root {to}, and export, feedback, grade in the same way
Nothing of this is in your course; to remove it, delete {to}."""
    )
    if options.open:
        webbrowser.open(demo.report.as_uri())
        if demo.feedback:
            webbrowser.open(demo.feedback[0].as_uri())
        return subprocess.call([sys.executable, "-m", "jupyter", "lab", "--LabApp.default_url=/formgrader"], cwd=to)
    return DONE
