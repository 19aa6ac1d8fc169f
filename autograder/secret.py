"""Course secret: seeds that students cannot know, the same on every regrade.

A second key follows from it, for constants that each student may know but not choose. Give students that key
(``CHIP2CLUSTER_VALUES_KEY``), never the secret.

A secret that begins with ``scrypt:``, as those of ``autograder secret`` do, is stretched with scrypt before anything
follows from it, so that each guess costs a tenth of a second and 32 MiB. Other secrets are used as they are: courses
that began with version 0.1 or 0.2 keep their values. The prefix is part of the secret, so every machine that has the
secret derives the same values.
"""

import getpass
import hashlib
import hmac
import os
import secrets
from functools import cache
from pathlib import Path

from chip2cluster import journal
from chip2cluster.renamed import EXERCISES, original

from .secret_strength import PREFIX, require_strong

_SALT = b"chip2cluster course secret"
_COST = {"n": 2**15, "r": 8, "p": 1, "maxmem": 2**26, "dklen": 32}
_OTHER_SECRET = (
    "If the course runs already, keep its secret for the labs, and set the new one for this command alone and whenever "
    "you repeat it"
)
_KEPT_KEY = (
    "If students already have numbers from the present one, `python -m course.publish bundle --students FILE --keep-key` "
    "and `autograder secret --values-key --keep-key` go on with it"
)


def seed_for(exercise_id: str) -> int:
    """Return the seed of an exercise's hidden cases if the student is unknown.

    It follows from ``CHIP2CLUSTER_SECRET`` if that is set, else from a local secret next to the learner's record, which is
    created on first use.
    """
    return _seed(_secret(), original(exercise_id, EXERCISES))


def hidden_key(student: str, exercise_id: str) -> bytes:
    """Return the key of a student's hidden cases in an exercise; it reveals neither the secret nor another key."""
    return _digest(_secret(), "hidden cases", student, original(exercise_id, EXERCISES))


def hidden_seed(key: bytes, work: str) -> int:
    """Return the seed of the hidden cases of one submission, from a `hidden_key` and the submission's content."""
    return _seed(key, work)


def student_seed(student: str, exercise_id: str, key: str | None = None) -> int:
    """Return the seed of a student's own constants, from a `values_key` (by default the one of this course)."""
    return _seed((key or values_key()).encode(), original(exercise_id, EXERCISES), student)


def values_key() -> str:
    """Return the key of all students' constants, as hexadecimal text; it does not reveal the secret."""
    return os.environ.get("CHIP2CLUSTER_VALUES_KEY") or _derived_values_key()


def _derived_values_key() -> str:
    return _digest(_secret(), "per-student values").hex()


def require_unguessable(purpose: str) -> None:
    """Refuse to derive an exam or a written question from a secret that can be guessed.

    Parameters
    ----------
    purpose : str
        Material that students would get, such as "an exam", for the message.

    Raises
    ------
    ValueError
        If the secret is short or made of words; the message names ``autograder secret``.
    """
    require_strong(_text(), purpose, _OTHER_SECRET)


def require_unguessable_key() -> None:
    """Refuse to give students a `values_key` that follows from a secret that can be guessed; see `require_unguessable`."""
    if values_key() == _derived_values_key():
        require_strong(_text(), "the key that students get", _KEPT_KEY)


def exam_seed(exam: str, *words: str) -> int:
    """Return a seed for an exam: of a student's numbers in an exercise, or of the choice of exercises.

    It follows from the secret itself, not from the `values_key`, which students have before the exam.
    """
    return _seed(_secret(), "exam", exam, *words)


def question_seed(topic: str) -> int:
    """Return the seed of a class's numbers in the second written question of a lab, from the secret itself."""
    return _seed(_secret(), "second question", topic)


def student() -> str:
    """Return the student who works here: ``CHIP2CLUSTER_STUDENT``, the name on JupyterHub, or the account's name."""
    if named := os.environ.get("CHIP2CLUSTER_STUDENT") or os.environ.get("JUPYTERHUB_USER"):
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no name, as in some containers, or no accounts, as in a browser
        return "student"


def _seed(key: bytes, *words: str) -> int:
    return int.from_bytes(_digest(key, *words)[:8], "big")


def _digest(key: bytes, *words: str) -> bytes:
    return hmac.new(key, "\0".join(words).encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def _secret() -> bytes:
    secret = _text()
    return _stretched(secret) if secret.startswith(PREFIX) else secret.encode()


@cache
def _stretched(secret: str) -> bytes:
    try:
        return hashlib.scrypt(secret.removeprefix(PREFIX).encode(), salt=_SALT, **_COST)
    except AttributeError:
        raise RuntimeError(
            "this Python was built without scrypt, which the course secret needs: use a Python with OpenSSL 1.1 or newer"
        ) from None


def _text() -> str:
    if given := os.environ.get("CHIP2CLUSTER_SECRET"):
        return given
    file = journal.path().with_name("course-secret")
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        _create(file)
    return file.read_text().strip()


def _create(file: Path) -> None:
    try:
        # Written completely under another name and linked, so that two kernels get the same secret.
        draft = Path(f"{file}.{os.getpid()}.tmp")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_hex(32))
        os.link(draft, file)
    except FileExistsError:
        pass
    except (OSError, AttributeError):  # a system without links, such as a browser
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
