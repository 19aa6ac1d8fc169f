"""Make the journals of an invented class: guesses around the truth, mistakes by week, and two unreadable files."""

import io
import json
import math
import random
import zipfile
from datetime import date, timedelta

from chip2cluster._shared_journal import FORMAT, KIND
from chip2cluster.predict.questions import QUESTIONS

from ..exercise_headers import topic
from ..exercises import exercises

FIRST_WEEK = date(2026, 9, 7)
SHARE = 0.7  # share of the class that submits a journal
CHAPTERS = 4


def make_journals(count: int, seed: int) -> bytes:
    """Make the zip of journals of a class that is in its fourth chapter; the same seed gives the same one."""
    drawn = random.Random(seed)
    known = exercises()
    asked = [question for question in QUESTIONS if _chapter(question.id) < CHAPTERS]
    truths = {question.id: question.truth() for question in asked}
    biases = {question.id: drawn.gauss(0, 0.4) for question in asked}
    popular = {
        name: drawn.choices(one.mistakes, k=2)
        for name, one in known.items()
        if one.mistakes and _chapter(name) < CHAPTERS
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(max(1, round(SHARE * count))):
            skill = drawn.uniform(0.3, 1.2)
            guesses = {
                name: {"guess": truth * 10 ** (biases[name] + drawn.gauss(0, skill)), "day": _day(name)}
                for name, truth in truths.items()
                if drawn.random() < 0.9
            }
            tried = {}
            for name, (usual, other) in popular.items():
                if drawn.random() < 0.2:
                    continue
                met = [one.name for one, odds in ((usual, 0.35), (other, 0.12)) if drawn.random() < odds * skill]
                tried[name] = {
                    "attempts": 1 + len(met), "solved": drawn.random() < 0.9, "hints": min(3, len(met)), "revealed": False,
                    "mistakes": dict.fromkeys(met, _day(name)),
                }  # fmt: skip
            journal = {
                "kind": KIND, "format": FORMAT, "id": f"{drawn.getrandbits(64):016x}", "predictions": guesses, "exercises": tried,
            }  # fmt: skip
            _add(archive, f"student{number + 1:03}_journal.json", json.dumps(journal))
        _add(archive, "essay.txt", "I have no journal, but I liked the course.")
        _add(archive, "half_journal.json", json.dumps(journal)[:300])
    return packed.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    # A fixed time, because the clock would make two classes of one seed differ.
    archive.writestr(zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)


def _chapter(name: str) -> float:
    from chip2cluster._pages import chapters

    order = [*chapters()]
    return order.index(topic(name)) if not name.startswith("lab.") and topic(name) in order else math.inf


def _day(name: str) -> str:
    return (FIRST_WEEK + timedelta(weeks=int(_chapter(name)))).isoformat()
