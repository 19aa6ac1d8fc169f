"""The course secret: seeds that students cannot know, the same on every regrade."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from chip2cluster import journal


def seed_for(exercise_id):
    """The seed of an exercise's hidden cases.

    Drawn from ``CHIP2CLUSTER_SECRET`` when set, else from a local secret kept
    beside the learner's record and made on first use.
    """
    digest = hmac.new(_secret(), exercise_id.encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big")


def _secret():
    if given := os.environ.get("CHIP2CLUSTER_SECRET"):
        return given.encode()
    file = journal.path().with_name("course-secret")
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Made whole under another name and linked, so that two kernels agree on one.
        draft = Path(f"{file}.{os.getpid()}.tmp")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_hex(32))
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)
    return file.read_text().strip().encode()
