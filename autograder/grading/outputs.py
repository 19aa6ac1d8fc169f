"""Outputs of an autograded notebook: a student's, kept to what is harmless, and the verdicts."""

import base64
import binascii
import re

PICTURES = 8  # a picture may take this many times the bytes of text
_PNG = b"\x89PNG\r\n\x1a\n"
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


def kept(outputs, limit):
    """A student's outputs with text and PNG pictures alone, at most ``limit`` bytes of text.

    The box has done the same; it is not to be trusted.
    """
    found, text_left, picture_left = [], limit, PICTURES * limit
    for output in outputs[:200]:
        match output:
            case {"output_type": "stream", "text": str(text)}:
                text, text_left = _cut(text, text_left)
                # Not as stderr: nbgrader takes that for a failed test.
                found.append({"output_type": "stream", "name": "stdout", "text": text})
            case {"output_type": "error", "ename": str(name), "evalue": str(value), "traceback": list(lines)}:
                text, text_left = _cut("\n".join(line for line in lines if isinstance(line, str)), text_left)
                found.append(
                    {
                        "output_type": "error",
                        "ename": _cut(name, 80)[0],
                        "evalue": _cut(value, 400)[0],
                        "traceback": text.split("\n"),
                    }
                )
            case {"output_type": "display_data" | "execute_result", "data": dict(data)}:
                bundle = {}
                if isinstance(data.get("text/plain"), str):
                    bundle["text/plain"], text_left = _cut(data["text/plain"], text_left)
                if (picture := _picture(data.get("image/png"), picture_left)) is not None:
                    bundle["image/png"] = picture
                    picture_left -= len(picture)
                if bundle:
                    found.append({"output_type": "display_data", "data": bundle, "metadata": {}})
    return found


def verdict_outputs(verdict):
    """What a check cell shows after grading; nbgrader reads the last value as the points."""
    text = f"{verdict.heading}: {verdict.message} ({verdict.worth})\n"
    return [
        {"output_type": "stream", "name": "stdout", "text": text},
        {
            "output_type": "execute_result",
            "execution_count": None,
            "data": {"text/plain": repr(float(verdict.score))},
            "metadata": {},
        },
    ]


def _cut(text, left):
    text = _CONTROL.sub("", text).encode("utf-8", "replace")[: max(left, 0)].decode("utf-8", "ignore")
    return text, left - len(text.encode())


def _picture(data, left):
    if not isinstance(data, str) or len(data) > left:
        return None
    try:
        return data if base64.b64decode(data).startswith(_PNG) else None
    except (binascii.Error, ValueError):
        return None
