"""Folders of submissions in nbgrader's exchange: their names, and the accounts that own them and their files.

Any account can make a folder there and give it any name, so a name alone never says whose work it is.
"""

import os
import re
import stat
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from ..intake.permissions import account_name
from ..nbgrader_compat.tools import parse_utc
from ..sanitize.terminal_text import printable
from .download_files import is_notebook, is_zip

MAX_NAMED = 3  # files in one sentence
MAX_LISTED = 10  # folders of one account with an odd name
_PLUS_OF_ZONE = re.compile(r"[^+]+(?:\+\d\d:?(?:\d\d)?)?")  # a time with at most the plus of a zone such as +04


@dataclass(frozen=True)
class InboundFolder:
    """Folder in the exchange whose name nbgrader can have written.

    Attributes
    ----------
    path : Path
        The folder.
    account : str
        Account that the name states.
    time : datetime
        Time that the name states, in UTC without a zone.
    uid : int
        Number of the account that owns the folder.
    foreign : dict of str to str
        Accounts that own files in the folder and not the folder, by relative path; filled only if the folder was chosen.
    """

    path: Path
    account: str
    time: datetime
    uid: int
    foreign: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class InboundDoubt:
    """Folder, or files in one, that are given to nobody.

    Attributes
    ----------
    path : Path
        The folder.
    key : str
        Name in the table of names.
    reason : str
        Sentence with the account that owns it.
    files : frozenset of str or None
        Relative paths of the files in question; None for all.
    """

    path: Path
    key: str
    reason: str
    files: frozenset[str] | None = None


@dataclass
class Inbound:
    """Submissions of a lab in the exchange.

    Attributes
    ----------
    chosen : list of InboundFolder
        Newest folder of each account that the account owns.
    doubts : list of InboundDoubt
        Folders and files that need the instructor.
    unchecked : list of str
        Names in ``chosen`` that no account on this machine has, so that the owner says nothing.
    """

    chosen: list[InboundFolder] = field(default_factory=list)
    doubts: list[InboundDoubt] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


def read_inbound(
    folder: Path, lab: str, student: str = "*", *, check_owner: bool = True, best_before: datetime | None = None
) -> Inbound:
    """Find the newest submission of each account that the account itself has put there.

    Parameters
    ----------
    folder : Path
        Folder ``inbound`` of the course in the exchange.
    lab : str
        Name of the lab.
    student : str
        Account, or a pattern of accounts.
    check_owner : bool
        Whether the owner of folders and files matters.
    best_before : datetime, optional
        Due date; the newest submission before it is preferred to later ones.
    """
    found = Inbound()
    by_account: defaultdict[str, list[InboundFolder]] = defaultdict(list)
    forged: defaultdict[tuple[str, int], list[InboundFolder]] = defaultdict(list)
    unnamed: defaultdict[int, list[Path]] = defaultdict(list)
    for path, status in _folders_of(folder, lab):
        named = parse_name(path.name, lab)
        if named and not fnmatchcase(named[0], student):
            continue
        if named is None or not stat.S_ISDIR(status.st_mode):
            unnamed[status.st_uid].append(path)
            continue
        one = InboundFolder(path, *named, status.st_uid)
        if check_owner and not _is_owner(one.account, one.uid):
            forged[one.account, one.uid].append(one)
        else:
            by_account[one.account].append(one)
    for account, folders in sorted(by_account.items()):
        chosen = _choose(folders, best_before, found) if check_owner else _newest_first(folders, best_before)[0]
        if chosen is None:
            continue
        found.chosen.append(chosen)
        if check_owner and _account_uid(account) is None:
            found.unchecked.append(account)
    for (account, uid), folders in sorted(forged.items()):
        newest = _newest_first(folders, best_before)[0]
        reason = (
            f"The folder is in the name of {printable(account)} and belongs to the account {account_name(uid)}, so it does "
            f"not count as {printable(account)}'s work.{_more(folders)}"
        )
        found.doubts.append(InboundDoubt(newest.path, table_key(newest.path.name), reason))
    for uid, paths in sorted(unnamed.items()):
        for index, path in enumerate(paths[:MAX_LISTED], start=1):
            reason = (
                f"The name is not one that nbgrader gives to a folder of submitted work, ACCOUNT+{lab}+TIME+LETTERS; it "
                f"belongs to the account {account_name(uid)}.{_more(paths) if index == MAX_LISTED else ''}"
            )
            found.doubts.append(InboundDoubt(path, table_key(path.name), reason))
    return found


def parse_name(name: str, lab: str) -> tuple[str, datetime] | None:
    """Read account and time from the name of a folder; None if nbgrader cannot have written it.

    >>> parse_name("ann+03_roofline+2030-01-31 10:00:00 UTC+x7", "03_roofline")
    ('ann', datetime.datetime(2030, 1, 31, 10, 0))
    >>> parse_name("ann+03_roofline+notadate+x7", "03_roofline")
    """
    account, _, rest = name.rpartition(f"+{lab}+")
    if not account or account.startswith(".") or not account.isprintable():
        return None
    # nbgrader can be configured to write no random letters, and some zones are written with a plus.
    for time in dict.fromkeys((rest.rpartition("+")[0], rest)):
        if not _PLUS_OF_ZONE.fullmatch(time):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the parser warns of zones that it does not know
                return account, parse_utc(time)
        except (ValueError, OverflowError, TypeError, AttributeError):
            continue
    return None


def table_key(name: str) -> str:
    """Name of a folder as the table of names can hold it."""
    return printable(name, 300)


def has_account(name: str) -> bool:
    """Whether an account on this machine has a name."""
    if sys.platform == "win32":
        return False
    import pwd

    try:
        pwd.getpwnam(name)
    except (KeyError, ValueError):
        return False
    return True


def _account_uid(name: str) -> int | None:
    """Number of a student's account, which The Littlest JupyterHub calls ``jupyter-NAME``; None if there is none."""
    import pwd

    for account in (name, f"jupyter-{name}"):
        if has_account(account):
            return pwd.getpwnam(account).pw_uid
    return None


def _is_owner(name: str, uid: int) -> bool:
    """Whether an owner is the named account.

    Where the account does not exist, the exchange can be a copy or come from another machine: the account that runs this,
    root and unknown numbers are accepted, and no other account of this machine.
    """
    expected = _account_uid(name)
    if expected is not None:
        return uid == expected
    return uid in (0, os.geteuid()) or not _has_name(uid)


def _has_name(uid: int) -> bool:
    import pwd

    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _folders_of(folder: Path, lab: str) -> Iterator[tuple[Path, os.stat_result]]:
    for name in sorted(os.listdir(folder)):
        if f"+{lab}+" not in name:
            continue
        try:
            yield folder / name, os.lstat(folder / name)
        except OSError:  # its owner has just removed it
            continue


def _choose(folders: list[InboundFolder], best_before: datetime | None, found: Inbound) -> InboundFolder | None:
    """Choose the newest folder in which the account's own work is left; files of others become doubts."""
    for one in _newest_first(folders, best_before):
        own, foreign = _files_by_owner(one)
        for uid in sorted(set(foreign.values())):
            names = sorted(name for name, owner in foreign.items() if owner == uid)
            listed = ", ".join(map(printable, names[:MAX_NAMED]))
            more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            reason = (
                f"In the folder of {printable(one.account)}, {listed}{more} belongs to the account {account_name(uid)} and "
                f"was left out of {printable(one.account)}'s work."
            )
            key = table_key(f"{one.path.name}: files of {account_name(uid)}")
            found.doubts.append(InboundDoubt(one.path, key, reason, frozenset(names)))
        if not foreign or any(is_notebook(name) or is_zip(name) for name in own):
            owners = {name: account_name(uid) for name, uid in foreign.items()}
            return InboundFolder(one.path, one.account, one.time, one.uid, owners)
    return None


def _newest_first(folders: list[InboundFolder], best_before: datetime | None) -> list[InboundFolder]:
    def rank(one: InboundFolder) -> tuple[bool, datetime, str]:
        return best_before is not None and one.time <= best_before, one.time, one.path.name

    return sorted(folders, key=rank, reverse=True)


def _files_by_owner(folder: InboundFolder) -> tuple[list[str], dict[str, int]]:
    """List the files that the folder's owner has put there, and the owners of the others."""
    own: list[str] = []
    foreign: dict[str, int] = {}
    for parent, folders, names in os.walk(folder.path):
        for name in [*names, *(one for one in folders if os.path.islink(os.path.join(parent, one)))]:
            path = os.path.join(parent, name)
            try:
                uid = os.lstat(path).st_uid
            except OSError:
                continue
            relative = os.path.relpath(path, folder.path)
            if uid == folder.uid or (_account_uid(folder.account) is None and _is_owner(folder.account, uid)):
                own.append(relative)
            else:
                foreign[relative] = uid
    return own, foreign


def _more(folders: list[InboundFolder] | list[Path]) -> str:
    if len(folders) == 1:
        return ""
    return f" That account has put {len(folders)} such folders there."
