"""Help policy: how much help checks and hints give in graded work, as the instructor of a course has chosen.

The choice is a small file of the package, so students get it with the package. It is not enforced: a student can change
the file.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("graded_help.json")
ALL = "all"
LEVELS = ("off", "mistakes", "1", "2", "3")
# Line of a card about the hints that were read; the instructor's report counts these lines.
HINTS_LINE = re.compile(r"Hints read in (lab\.[a-z_.]{1,80}): ([1-9]) of [1-9]\b")


@dataclass(frozen=True)
class HelpPolicy:
    """Help in graded work: whether checks name ``mistakes``, and the number of ``hints``."""

    mistakes: bool
    hints: int


def policy_for(topic: str, file: Path | None = None) -> HelpPolicy:
    """Return the policy for the lab of a topic.

    Raises
    ------
    ValueError
        If the file is damaged; the message says how to write it again.
    """
    chosen = read_levels(file)
    level = chosen.get(topic, chosen[ALL])
    return HelpPolicy(level != "off", int(level) if level.isdigit() else 0)


def read_levels(file: Path | None = None) -> dict[str, str]:
    """Return the chosen levels, for all labs and by topic if they differ; by default those of the package's file."""
    file = file or FILE
    try:
        chosen: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
        if ALL in chosen and set(chosen.values()) <= set(LEVELS):
            return chosen
    except (OSError, ValueError, TypeError, AttributeError):
        pass
    raise ValueError(f"{file} cannot be read; the instructor can write it again with `autograder help-policy 3`")


def write_levels(chosen: dict[str, str], file: Path) -> None:
    """Replace the file with these levels."""
    file.write_text(json.dumps(chosen, indent=1) + "\n", encoding="utf-8")


def policy_file(root: Path) -> Path:
    """Return the policy file of a course folder, or the package's own if it has none."""
    file = root / "autograder" / FILE.name
    return file if file.is_file() else FILE


def hints_line(exercise_id: str, count: int, most: int) -> str:
    """Return the sentence that says how many hints were read."""
    return f"Hints read in {exercise_id}: {count} of {most}."
