"""How far help goes in graded work: what a course's instructor has chosen, and nothing that a student must set.

The choice is a small file of the package, so it reaches students with it. It is a wish and no lock: whoever has the
package has its source.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("graded_help.json")
ALL = "all"
LEVELS = ("off", "mistakes", "1", "2", "3")
# What a card says of the hints that were read; the instructor's report counts these lines.
LINE = re.compile(r"Hints read in (lab\.[a-z_.]{1,80}): ([1-9]) of [1-9]\b")


@dataclass(frozen=True)
class Allowed:
    """What checks of graded work may say: whether they name ``mistakes``, and how many ``hints`` there are."""

    mistakes: bool
    hints: int


def allowed(topic: str, file: Path | None = None) -> Allowed:
    """What is allowed in the lab of a topic.

    Raises
    ------
    ValueError
        When the file is damaged; the message says how to write it anew.
    """
    chosen = read(file)
    level = chosen.get(topic, chosen[ALL])
    return Allowed(level != "off", int(level) if level.isdigit() else 0)


def read(file: Path | None = None) -> dict[str, str]:
    """The chosen levels: for all labs, and by topic where they differ; of a file, or of the package's own."""
    file = file or FILE
    try:
        chosen: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
        if ALL in chosen and set(chosen.values()) <= set(LEVELS):
            return chosen
    except (OSError, ValueError, TypeError, AttributeError):
        pass
    raise ValueError(f"{file} cannot be read; whoever runs the course writes it anew with `autograder help-policy 3`")


def write(chosen: dict[str, str], file: Path) -> None:
    """Replace the file."""
    file.write_text(json.dumps(chosen, indent=1) + "\n", encoding="utf-8")


def of_course(root: Path) -> Path:
    """The file of a course folder; the package's own where that folder holds none."""
    file = root / "autograder" / FILE.name
    return file if file.is_file() else FILE


def line(exercise_id: str, count: int, most: int) -> str:
    """The sentence that says how many hints were read."""
    return f"Hints read in {exercise_id}: {count} of {most}."
