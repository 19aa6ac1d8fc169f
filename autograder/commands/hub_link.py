"""``autograder hub-link``: make an nbgitpuller link to a repository's notebooks."""

from argparse import ArgumentParser, Namespace

from .common import DONE

HELP = "make the link that copies a repository's notebooks to students on a JupyterHub (nbgitpuller)"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder hub-link``."""
    parser.add_argument("hub", help="address of the hub, such as https://hub.example.edu")
    parser.add_argument(
        "repository", help="address of the unpacked zip for students as a repository, never one with solutions"
    )
    parser.add_argument("--branch", default="main", help="(default: main)")
    parser.add_argument("--page", default="", metavar="FILE", help="file to open first, such as course/00_start.ipynb")


def run(options: Namespace) -> int:
    """Print the link."""
    from ..hub_link import link

    print(link(options.hub, options.repository, options.branch, options.page))
    return DONE
