"""``autograder mark``: mark a lab's written question on a page of its own, alone or with others."""

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from .common import DONE, add_lab_and_root

if TYPE_CHECKING:
    from ..grading.marking.session import MarkingSession

HELP = "mark a lab's written question: one question for everybody, with the rubric's lines as buttons"
MOST_MARKERS = 100


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder mark``."""
    add_lab_and_root(parser)
    parser.add_argument(
        "--question",
        default="",
        metavar="CELL",
        help="name of the answer cell, if the lab has several written questions",
    )
    parser.add_argument("--port", type=_port, default=0, help="port on this machine (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address without opening it")
    parser.add_argument("--marker", type=_name, metavar="NAME", help="who marks, if several do")
    parser.add_argument(
        "--share", type=_share, default=(1, 1), metavar="K/N", help="mark the K-th of N parts of the list"
    )
    parser.add_argument(
        "--sample",
        type=_count,
        default=0,
        metavar="N",
        help="the first N answers of the list belong to every marker's share",
    )
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--merge", type=Path, nargs="+", metavar="FILE", help="merge files of other markers; refuses conflicts by name"
    )
    other.add_argument("--agreement", action="store_true", help="print how well markers agree on the sample")
    other.add_argument("--export", type=Path, metavar="FILE", help="write the lines of each student as CSV")


def run(options: Namespace) -> int:
    """Serve the page until Ctrl-C, or merge, compare or export marks."""
    from ..grading.marking.session import MarkingSession

    part, parts = options.share
    if (parts > 1 or options.sample) and not options.marker:
        raise ValueError("--share and --sample are for several markers: give each a name with --marker NAME")
    session = MarkingSession(
        options.root, options.lab, options.question, options.marker or "", part, parts, sample=options.sample
    )
    if options.merge:
        return _merge(session, options.merge)
    if options.agreement:
        return _print_agreement(session)
    if options.export:
        from ..grading.marking.lines_export import export_lines

        print(f"{export_lines(session, options.export)} marks written to {options.export}")
        return DONE
    return _serve(session, options.port, not options.no_browser)


def _serve(session: "MarkingSession", port: int, browser: bool) -> int:
    from ..grading.marking.server import serve_marking

    left = sum(not state.done for state in session.states())

    def started(address: str) -> None:
        print(f"{session.lab.name}, {session.question}: {left} of {len(session.students)} answers wait for marks.")
        print(f"Mark them at {address}\nCtrl-C ends the page; everything is kept in {session.file}.", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(address)

    try:
        serve_marking(session, port, started)
    except KeyboardInterrupt:
        print()
    return DONE


def _merge(session: "MarkingSession", files: list[Path]) -> int:
    from ..grading.marking.merge import merge_marks

    for file in files:
        merged = merge_marks(session, file)
        print(
            f"{file}: {merged.new} new marks, {merged.replaced} newer ones of the same marker, {merged.second} second marks of "
            f"the sample, {merged.same} that were here"
        )
    return DONE


def _print_agreement(session: "MarkingSession") -> int:
    from ..grading.marking.agreement import agreements
    from .common import print_lines

    found = agreements(session.sheet())
    if not found:
        print("No answer was marked by two people: start the page with --marker NAME --sample N.")
    for one in found:
        print_lines(one.sentences())
    return DONE


def _port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise ArgumentTypeError(f"a port is a number from 0 to 65535, got {text!r}")
    return int(text)


def _name(text: str) -> str:
    if not re.fullmatch(r"\w[\w .-]{0,59}", text):
        raise ArgumentTypeError(f"a marker's name has letters, digits, spaces, dots and hyphens, got {text!r}")
    return text


def _share(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text)
    part, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= part <= parts <= MOST_MARKERS:
        raise ArgumentTypeError(f"a share is K/N with K from 1 to N, such as 1/3, got {text!r}")
    return part, parts


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text):
        raise ArgumentTypeError(f"a sample is a number of answers, got {text!r}")
    return int(text)
