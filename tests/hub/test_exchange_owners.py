"""Whose work a folder in nbgrader's exchange is, with real accounts: its owner says so, never its name alone."""

import csv
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.hub.hub_process import Accounts

ROOT = Path(__file__).resolve().parents[2]
LAB = "03_roofline"
PEOPLE = ("instructor", "ann", "bob", "jupyter-cid")
RELEASED = json.loads((ROOT / "labs" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))
STUDENTS = "student\nann\nbob\ncid\ndan\n"


def notebook(text):
    """The lab with a cell that says whose it is."""
    cell = {"cell_type": "code", "id": "whose", "metadata": {}, "source": f"# whose: {text}", "outputs": []}
    return json.dumps(RELEASED | {"cells": [*RELEASED["cells"], cell | {"execution_count": None}]})


class Class(Accounts):
    """Accounts with a course of the instructor's and an exchange with the rights of ``deploy/hub``."""

    def _begin(self, stack):
        if not self.real:
            pytest.skip("NO RIGHTS OF USERS TESTED: only root can give files to several accounts")
        self.inbound = self.exchange / "chip2cluster/inbound"
        for folder, mode in {
            self.exchange: 0o1777,
            self.exchange / "chip2cluster": 0o755,
            self.inbound: 0o3733,
            self.exchange / "chip2cluster/feedback": 0o711,
        }.items():
            folder.mkdir()
            self.give(folder, "instructor")
            folder.chmod(mode)
        self.course = self.home["instructor"] / "course"
        self.course.mkdir(mode=0o700)
        shutil.copy(ROOT / "nbgrader_config.py", self.course)
        (self.course / "list.csv").write_text(STUDENTS)
        for name in ("solutions", "labs"):
            shutil.copytree(ROOT / name / LAB, self.course / name / LAB)
        for path in [self.course, *self.course.rglob("*")]:
            self.give(path, "instructor")
        assert self.autograder("roster", "list.csv")[0] == 0

    def give(self, path, name):
        os.lchown(path, self.users[name], self.users[name])

    def hand_in(self, account, name, text, time="2027-01-30 10:00:00 UTC", letters="abc", secret=True):
        """Put a folder into the exchange as an account, under any name."""
        folder = self.inbound / f"{name}+{LAB}+{time}+{letters}"
        folder.mkdir()
        (folder / f"lab_{LAB}.ipynb").write_text(notebook(text))
        (folder / "timestamp.txt").write_text(time)
        if secret:
            (folder / "submission_secret.txt").write_text(f"{account}{letters}")
        for path in [folder, *folder.iterdir()]:
            self.give(path, account)
        folder.chmod(0o777)  # as nbgrader does
        return folder

    def autograder(self, *arguments):
        return self.command(sys.executable, "-m", "autograder", *arguments, "--root", str(self.course))

    def nbgrader(self, *arguments):
        return self.command(sys.executable, "-m", "nbgrader", *arguments)

    def command(self, *words):
        """Run a command as the instructor; its exit code and all that it said."""
        said = self.run("instructor", "sh", "-c", '"$@"; echo "exit $?"', "sh", *words, cwd=self.course)
        text, _, code = said.partition("exit ")  # stderr follows
        code, _, errors = code.partition("\n")
        return int(code), text + errors

    def taken(self):
        """Text of each student's collected notebook."""
        found = (self.course / "autograder/work/submitted").glob(f"*/{LAB}/lab_{LAB}.ipynb")
        return {path.parts[-3]: re.search(r"# whose: (.*?)\"", path.read_text())[1] for path in found}

    def rows(self):
        with open(self.course / f"autograder/work/collected/{LAB}.csv", encoding="utf-8", newline="") as stream:
            return {row["handed_in_as"]: row for row in csv.DictReader(stream)}

    def decide(self, key, student):
        """Write a student into the table of names."""
        file = self.course / f"autograder/work/collected/{LAB}.csv"
        rows = [row | ({"student": student} if row["handed_in_as"] == key else {}) for row in self.all_rows(file)]
        with open(file, "w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, rows[0])
            table.writeheader()
            table.writerows(rows)

    @staticmethod
    def all_rows(file):
        with open(file, encoding="utf-8", newline="") as stream:
            return [*csv.DictReader(stream)]


@pytest.fixture(scope="module")
def accounts():
    with Class(people=PEOPLE) as made:
        yield made


@pytest.fixture
def hub(accounts):
    """The class with an empty exchange and nothing collected."""
    for folder in (accounts.inbound, accounts.course / "autograder/work"):
        for path in folder.iterdir():
            if path.name in ("submitted", "collected", "dates", "feedback") or folder == accounts.inbound:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    return accounts


def test_collect_takes_only_what_the_students_account_owns(hub):
    hub.hand_in("ann", "ann", "ann's first")
    hub.hand_in("ann", "ann", "ann's second", "2027-01-31 10:00:00 UTC")
    hub.hand_in("bob", "bob", "bob's")
    hub.hand_in("jupyter-cid", "cid", "cid's")
    forged = hub.hand_in("bob", "ann", "forged", "2030-01-01 00:00:00 UTC", "x", secret=False)
    ghost = hub.hand_in("bob", "dan", "ghost", "2030-01-01 00:00:00 UTC", "y")
    code, said = hub.autograder("collect", LAB)
    assert code == 1 and "Need you: 2" in said, said
    assert hub.taken() == {"ann": "ann's second", "bob": "bob's", "cid": "cid's"}
    for folder, name in ((forged, "ann"), (ghost, "dan")):
        row = hub.rows()[folder.name]
        assert row["student"] == "" and f"in the name of {name} and belongs to the account bob" in row["what"]
        assert f"{folder.name} -> ?" in said
    assert "No account on this machine" not in said
    hub.decide(forged.name, "-")
    hub.decide(ghost.name, "-")
    code, said = hub.autograder("collect", LAB)
    assert code == 0 and "Need you: 0" in said and hub.taken()["ann"] == "ann's second", said


def test_collect_leaves_out_files_of_other_accounts(hub):
    folder = hub.hand_in("ann", "ann", "ann's")
    (folder / f"lab_{LAB}.ipynb").rename(folder / "moved.ipynb")
    (folder / f"lab_{LAB}.ipynb").write_text(notebook("bob's"))
    hub.give(folder / f"lab_{LAB}.ipynb", "bob")
    code, said = hub.autograder("collect", LAB)
    assert code == 1 and f"lab_{LAB}.ipynb belongs to the account bob and was left out of ann's work" in said, said
    place = hub.course / f"autograder/work/submitted/ann/{LAB}"
    assert sorted(path.name for path in place.glob("*.ipynb")) == ["moved.ipynb"]
    assert (place / "moved.ipynb").read_text() == notebook("ann's")


def test_collect_keeps_earlier_work_if_the_newest_was_removed(hub):
    hub.hand_in("ann", "ann", "ann's first")
    folder = hub.hand_in("ann", "ann", "ann's second", "2027-01-31 10:00:00 UTC")
    (folder / f"lab_{LAB}.ipynb").unlink()
    (folder / f"lab_{LAB}.ipynb").write_text(notebook("bob's"))
    hub.give(folder / f"lab_{LAB}.ipynb", "bob")
    code, said = hub.autograder("collect", LAB)
    assert code == 1 and "the account bob" in said and hub.taken() == {"ann": "ann's first"}, said


@pytest.mark.parametrize("command", ["autograder", "nbgrader"])
def test_one_odd_folder_does_not_stop_the_class(hub, command):
    hub.hand_in("ann", "ann", "ann's")
    odd = [
        f"bob+{LAB}+notadate+abc",
        f"bob+{LAB}+",
        f"bob+{LAB}+2026-01-01 00:00:00 UTC+a+b",
        f"+{LAB}+2026-01-01 00:00:00 UTC+a",
        f"..+{LAB}+2026-01-01 00:00:00 UTC+a",
        f"bo\nb+{LAB}+2026-01-01 00:00:00 UTC+a",
        f"b\udc80b+{LAB}+2026-01-01 00:00:00 UTC+a",
    ]
    for name in odd:
        (hub.inbound / name).mkdir()
        hub.give(hub.inbound / name, "bob")
    link = hub.inbound / f"bob+{LAB}+2027-02-01 00:00:00 UTC+link"
    link.symlink_to(hub.course / "solutions" / LAB)
    hub.give(link, "bob")
    code, said = getattr(hub, command)("collect", LAB)
    assert code == 1 and "Traceback" not in said and hub.taken() == {"ann": "ann's"}, said
    assert said.count("it belongs to the account bob") == len(odd) + 1 and f"bob+{LAB}+notadate+abc" in said, said
    # The way out that the guide names: the instructor owns the folder of submissions and can rename what is in it.
    left = [path for path in os.listdir(hub.inbound) if not path.startswith("ann")]
    for number, name in enumerate(left):
        hub.run("instructor", "mv", "-T", hub.inbound / name, hub.inbound / f"ignored-{number}")
    code, said = getattr(hub, command)("collect", LAB)
    assert code == 0, said


def test_nbgrader_collect_takes_only_what_the_account_owns(hub):
    hub.hand_in("ann", "ann", "ann's")
    hub.hand_in("jupyter-cid", "cid", "cid's")
    hub.hand_in("bob", "ann", "forged", "2030-01-01 00:00:00 UTC", "x")
    folder = hub.hand_in("bob", "bob", "bob's")
    (folder / "gone").symlink_to("/nowhere")
    (folder / "key.ipynb").symlink_to(hub.course / "solutions" / LAB / f"lab_{LAB}.ipynb")
    for name in ("gone", "key.ipynb"):
        hub.give(folder / name, "bob")
    code, said = hub.nbgrader("collect", LAB)
    assert code == 1 and "belongs to the account bob" in said and "Traceback" not in said, said
    assert hub.taken() == {"ann": "ann's", "bob": "bob's", "cid": "cid's"}
    assert not (hub.course / f"autograder/work/submitted/bob/{LAB}/key.ipynb").exists()


def test_collect_says_once_that_no_account_has_a_name(hub):
    hub.hand_in("instructor", "dan", "by the instructor")
    hub.hand_in("ann", "ann", "ann's")
    code, said = hub.autograder("collect", LAB)
    assert code == 0 and said.count("No account on this machine is called dan:") == 1, said
    assert hub.taken() == {"ann": "ann's", "dan": "by the instructor"}


def test_jupyter_prefix_belongs_to_a_student_without_an_account():
    with Class(people=(*PEOPLE, "jupyter-ann")) as hub:
        hub.hand_in("ann", "ann", "ann's")
        hub.hand_in("jupyter-ann", "jupyter-ann", "somebody else's", "2030-01-01 00:00:00 UTC")
        hub.hand_in("jupyter-cid", "jupyter-cid", "cid's")
        code, said = hub.autograder("collect", LAB)
        assert hub.taken() == {"ann": "ann's", "jupyter-ann": "somebody else's", "cid": "cid's"}, said
        assert "They are not on the roster." in hub.rows()["jupyter-ann"]["what"] and code == 0
