"""Outputs of an autograded notebook: sanitized outputs of student cells, and verdicts of check cells."""

from typing import Any

from ..checking.verdict import Verdict
from .sanitize.outputs import clean_png, clean_text
from .sanitize.paths import hide_paths

PICTURE_BYTES_FACTOR = 8  # limit of all pictures, in multiples of the limit of all text
# MIME type of the verdict in the output of a check cell, for programs that read the notebook.
VERDICT_MIME = "application/vnd.chip2cluster.verdict+json"


def safe_outputs(outputs: list[Any], limit: int) -> list[dict[str, Any]]:
    """Return only the text and PNG pictures of a student's outputs, at most ``limit`` bytes of text.

    The sandbox has done the same, but it is not trusted.
    """
    safe: list[dict[str, Any]] = []
    text_left, picture_left = limit, PICTURE_BYTES_FACTOR * limit
    for output in outputs[:200]:
        match output:
            case {"output_type": "stream", "text": str(text)}:
                text, text_left = _cut(text, text_left)
                # Not as stderr: nbgrader counts a test with stderr output as failed.
                safe.append({"output_type": "stream", "name": "stdout", "text": text})
            case {"output_type": "error", "ename": str(name), "evalue": str(value), "traceback": list(lines)}:
                text, text_left = _cut("\n".join(line for line in lines if isinstance(line, str)), text_left)
                safe.append(
                    {
                        "output_type": "error",
                        "ename": _cut(name, 80)[0],
                        "evalue": _cut(value, 400)[0],
                        "traceback": text.split("\n"),
                    }
                )
            case {"output_type": "display_data" | "execute_result", "data": dict(data)}:
                bundle: dict[str, str] = {}
                if isinstance(data.get("text/plain"), str):
                    bundle["text/plain"], text_left = _cut(data["text/plain"], text_left)
                if (picture := clean_png(data.get("image/png"), picture_left)) is not None:
                    bundle["image/png"] = picture
                    picture_left -= len(picture)
                if bundle:
                    safe.append({"output_type": "display_data", "data": bundle, "metadata": {}})
    return safe


def verdict_line(verdict: Verdict) -> str:
    """Return a verdict and its points as one line of text."""
    return f"{verdict.heading}: {verdict.message} ({verdict.worth})\n"


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return the value of a check cell by MIME type: the points, which nbgrader reads, and the verdict as JSON."""
    fields = {"verdict": verdict.verdict, "message": verdict.message, "mistake": verdict.mistake}
    return {"text/plain": repr(float(verdict.score)), VERDICT_MIME: fields}


def verdict_outputs(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the outputs of a check cell after grading."""
    data = verdict_data(verdict)
    return [
        {"output_type": "stream", "name": "stdout", "text": verdict_line(verdict)},
        {"output_type": "execute_result", "execution_count": None, "data": data, "metadata": {}},
    ]


def _cut(text: str, left: int) -> tuple[str, int]:
    """Return a sanitized text of at most ``left`` bytes, and the bytes that remain."""
    # No character takes less than one byte.
    text = hide_paths(clean_text(text, max(left, 0))).encode()[: max(left, 0)].decode("utf-8", "ignore")
    return text, left - len(text.encode())
