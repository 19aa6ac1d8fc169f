"""The link that brings pages to a student's desk; a real hub follows one in test_hub.py."""

from urllib.parse import parse_qs, urlsplit

import pytest

from autograder.__main__ import main


def test_a_link_names_hub_repository_branch_and_page(capsys):
    hub, repository = "https://hub.example.edu:8443/teaching/hub/", "https://git.example.edu/us/pages.git"
    assert main(["hub-link", hub, repository, "--branch", "term/2027", "--page", "course/00_start.ipynb"]) == 0
    where = urlsplit(capsys.readouterr().out.strip())
    assert where.netloc == "hub.example.edu:8443" and where.path == "/teaching/hub/user-redirect/git-pull"
    assert parse_qs(where.query) == {
        "repo": [repository],
        "branch": ["term/2027"],
        "urlpath": ["lab/tree/pages/course/00_start.ipynb"],
    }


GOOD = ["https://hub.example.edu", "https://git.example.edu/us/pages"]


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["hub.example.edu", GOOD[1]], "begin with https://"),
        ([GOOD[0], "git@git.example.edu:us/pages.git"], "not the one for ssh"),
        ([GOOD[0], "https://me:token@git.example.edu/us/pages"], "a name or a password"),
        ([GOOD[0], "https://git.example.edu/"], "names no repository"),
        ([*GOOD, "--branch", "main; rm"], "not a valid branch name"),
        ([*GOOD, "--page", "../secret"], "outside the repository"),
    ],
)
def test_an_address_that_cannot_work_is_refused_in_a_sentence(arguments, says, capsys):
    assert main(["hub-link", *arguments]) == 2
    assert says in capsys.readouterr().err
