"""Outputs of an autograded notebook: a student's, kept to what is harmless, and the verdicts."""

from typing import Any

from ..checking.verdict import Verdict
from .sanitize.outputs import clean, png

PICTURES = 8  # a picture may take this many times the bytes of text
# Under the points of a check cell: its verdict in codes, for whoever reads the notebook by machine.
VERDICT = "application/vnd.chip2cluster.verdict+json"


def kept(outputs: list[Any], limit: int) -> list[dict[str, Any]]:
    """A student's outputs with text and PNG pictures alone, at most ``limit`` bytes of text.

    The box has done the same; it is not to be trusted.
    """
    harmless: list[dict[str, Any]] = []
    text_left, picture_left = limit, PICTURES * limit
    for output in outputs[:200]:
        match output:
            case {"output_type": "stream", "text": str(text)}:
                text, text_left = _cut(text, text_left)
                # Not as stderr: nbgrader takes that for a failed test.
                harmless.append({"output_type": "stream", "name": "stdout", "text": text})
            case {"output_type": "error", "ename": str(name), "evalue": str(value), "traceback": list(lines)}:
                text, text_left = _cut("\n".join(line for line in lines if isinstance(line, str)), text_left)
                harmless.append(
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
                if (picture := png(data.get("image/png"), picture_left)) is not None:
                    bundle["image/png"] = picture
                    picture_left -= len(picture)
                if bundle:
                    harmless.append({"output_type": "display_data", "data": bundle, "metadata": {}})
    return harmless


def verdict_line(verdict: Verdict) -> str:
    """A verdict and its points, for a person."""
    return f"{verdict.heading}: {verdict.message} ({verdict.worth})\n"


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """The value of a check cell: the points, which nbgrader reads, and the verdict in codes."""
    codes = {"verdict": verdict.verdict, "message": verdict.message, "mistake": verdict.mistake}
    return {"text/plain": repr(float(verdict.score)), VERDICT: codes}


def verdict_outputs(verdict: Verdict) -> list[dict[str, Any]]:
    """What a check cell shows after grading."""
    data = verdict_data(verdict)
    return [
        {"output_type": "stream", "name": "stdout", "text": verdict_line(verdict)},
        {"output_type": "execute_result", "execution_count": None, "data": data, "metadata": {}},
    ]


def _cut(text: str, left: int) -> tuple[str, int]:
    # A character is one byte at least.
    text = clean(text, max(left, 0)).encode()[: max(left, 0)].decode("utf-8", "ignore")
    return text, left - len(text.encode())
