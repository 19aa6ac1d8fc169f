"""``autograder selftest``: check that this machine can grade."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, ROOT, add_unsandboxed

HELP = "check that this machine can grade; takes half a minute, or a minute on a busy machine"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder selftest``."""
    parser.add_argument(
        "lab", nargs="?", default="03_roofline", metavar="LAB", help="lab to grade (default: 03_roofline)"
    )
    parser.add_argument(
        "--root", type=Path, default=ROOT, metavar="DIR", help="course folder (default: the course of this autograder)"
    )
    add_unsandboxed(parser)


def run(options: Namespace) -> int:
    """Print what holds on this machine, a line each, and what to do about the rest."""
    from ..demo.selftest import run_selftest

    failed = 0
    for finding in run_selftest(options.root, options.lab, options.unsandboxed):
        failed += not finding.passed
        print(f"{'ok  ' if finding.passed else 'FAIL'}  {finding.sentence}")
        if finding.remedy and not finding.passed:
            print(f"      {finding.remedy}")
    print("This machine grades." if not failed else f"{failed} of these failed: see above.")
    return NEEDS_ATTENTION if failed else DONE
