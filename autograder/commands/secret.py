"""``autograder secret``: make a course secret, or print the key that students may have."""

import sys
from argparse import ArgumentParser, Namespace

from .common import DONE

HELP = "make a secret for the course: hidden inputs, exams and each student's numbers follow from it"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder secret``."""
    parser.add_argument(
        "--values-key",
        action="store_true",
        help="instead, print the key of all students' numbers (CHIP2CLUSTER_VALUES_KEY) for the secret that is set",
    )
    parser.add_argument(
        "--keep-key",
        action="store_true",
        help="with --values-key: print it even if the secret can be guessed, because students have the key already",
    )


def run(options: Namespace) -> int:
    """Print the line that sets a new secret; explanations go to stderr."""
    from ..secret import require_unguessable_key, values_key
    from ..secret_strength import new_secret

    if options.keep_key and not options.values_key:
        raise ValueError("--keep-key is for --values-key: give both")
    if options.values_key:
        if not options.keep_key:
            require_unguessable_key()
        print(values_key())
        return DONE
    print(f"export CHIP2CLUSTER_SECRET={new_secret()}")
    print(
        "Nothing was stored. Keep this line like a password and run it in every shell and service that grades, for the "
        "whole term: another secret gives other hidden inputs, other exams and other numbers of students.",
        file=sys.stderr,
    )
    return DONE
