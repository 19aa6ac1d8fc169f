"""Remember with which course secret a lab was graded, so that another secret is noticed before anything is graded."""

import hashlib
import json
import os
from pathlib import Path

from ...atomic_write import write_text
from ...secret import seed_for, values_key


def check_secret(work: Path, lab: str, *, accept: bool = False) -> None:
    """Raise a ValueError if the course secret, or the key of personal values, is not that of the last grading.

    Parameters
    ----------
    work : Path
        Folder of everything that grading stores.
    lab : str
        Name of the lab. If it was never graded, the last grading of any lab counts.
    accept : bool
        Whether another secret is intended.
    """
    records = _read(work)
    before = records.get(lab) or next(reversed(records.values()), None)
    now = _marks()
    if accept or before is None or before == now:
        return
    if before.get("secret") != now["secret"]:
        given = (
            "CHIP2CLUSTER_SECRET is set" if os.environ.get("CHIP2CLUSTER_SECRET") else "CHIP2CLUSTER_SECRET is not set"
        )
        what = f"the course secret is not that of the last grading ({given} in this shell)"
        harm = "every submission would be graded again on other hidden cases"
        way = "export CHIP2CLUSTER_SECRET as you did then"
    else:
        what = "the key of the students' personal values is not that of the last grading (CHIP2CLUSTER_VALUES_KEY)"
        harm = "students would be judged by other values than those that they were given"
        way = "set or unset CHIP2CLUSTER_VALUES_KEY as it was then"
    raise ValueError(
        f"{what}: {harm}. Nothing was graded: {way}, or give `autograder grade {lab} --new-secret` if that is intended"
    )


def record_secret(work: Path, lab: str) -> None:
    """Remember the present secret as that of the lab's last grading."""
    records = _read(work)
    if [*records][-1:] == [lab] and records[lab] == _marks():
        return
    records.pop(lab, None)
    write_text(_file(work), json.dumps(records | {lab: _marks()}, indent=1) + "\n")


def _marks() -> dict[str, str]:
    """Return a checksum of the secret and of the key; 32 bits distinguish two secrets and don't help to find one."""
    parts = {"secret": str(seed_for("record of the secret")), "values": values_key()}
    return {name: hashlib.sha256(f"{name}\0{part}".encode()).hexdigest()[:8] for name, part in parts.items()}


def _file(work: Path) -> Path:
    return work / "secrets.json"


def _read(work: Path) -> dict[str, dict[str, str]]:
    try:
        records: dict[str, dict[str, str]] = json.loads(_file(work).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    entries = records.items() if isinstance(records, dict) else ()
    return {lab: marks for lab, marks in entries if isinstance(marks, dict)}
