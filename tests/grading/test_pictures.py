"""Pictures that students paste into a notebook are shown if they are PNG or JPEG, and nothing else is."""

import base64
import copy
import io
import json

import pytest
from PIL import Image

from autograder.grading.intake.notebook import parse_notebook
from autograder.grading.intake.reconstruction import rebuild
from autograder.grading.sanitize.html import markdown_html
from autograder.grading.sanitize.notebook_cells import released_sources, sanitize_notebook
from autograder.grading.sanitize.outputs import MAX_SIDE, clean_jpeg
from autograder.grading.sanitize.pictures import clean_attachments
from tests.grading import fakes
from tests.grading.notebooks import RELEASED, answered, find, markdown, text


def picture(kind, size=(16, 12), **more):
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, kind, **more)
    return base64.b64encode(file.getvalue()).decode()


PNG, JPEG = picture("PNG"), picture("JPEG")
SVG = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' onload='xss()'/>").decode()
HTML = base64.b64encode(b"<script>xss()</script>").decode()
SHOWN = "![image.png](attachment:image.png)"
REFUSED = {
    "svg": {"image/svg+xml": SVG},
    "svg as png": {"image/png": SVG},
    "html as jpeg": {"image/jpeg": HTML},
    "png as jpeg": {"image/jpeg": PNG},
    "jpeg as png": {"image/png": JPEG},
    "gif": {"image/gif": picture("GIF")},
    "no base64": {"image/png": '"><script>xss()</script>'},
    "cut": {"image/jpeg": JPEG[: len(JPEG) // 2]},
    "too wide": {"image/jpeg": picture("JPEG", (MAX_SIDE + 1, 1))},
    "html first": {"text/html": "<script>xss()</script>"},
    "not a bundle": ["image/png"],
    "number": {"image/png": 7},
}


def with_essay(source, attachments):
    made = answered(recommendation=source)
    find(made, "recommendation")["attachments"] = attachments
    return rebuild(parse_notebook(json.dumps(made).encode())[0], RELEASED).notebook


def shown(notebook):
    """Return the essay as formgrader's notebook contains it; sanitizing it again changes nothing."""
    sanitize_notebook(notebook, released_sources(RELEASED))
    again = copy.deepcopy(notebook)
    sanitize_notebook(again, released_sources(RELEASED))
    assert again == notebook
    return find(notebook, "recommendation")


@pytest.mark.parametrize("kind, data", [("image/png", PNG), ("image/jpeg", JPEG)])
def test_pasted_pictures_stay_and_are_drawn(kind, data):
    notebook = with_essay(f"See {SHOWN} <b>", {"image.png": {kind: data, "text/html": "x"}, "unused.png": {kind: data}})
    cell = shown(notebook)
    ((name, bundle),) = cell["attachments"].items()
    assert [*bundle] == [kind] and f"![picture](attachment:{name})" in text(cell) and "<b>" not in text(cell)
    with Image.open(io.BytesIO(base64.b64decode(bundle[kind]))) as opened:
        opened.load()
        assert opened.size == (16, 12)
    address = f"data:{kind};base64,{bundle[kind]}"
    assert f'<img src="{address}" alt="image.png">' in markdown_html(SHOWN, pictures={"image.png": address})
    assert "<img" not in markdown_html("![a](attachment:b.png) ![c](http://d)", pictures={"image.png": address})


@pytest.mark.parametrize("name", REFUSED)
def test_other_attachments_are_not_drawn(name):
    cell = shown(with_essay(SHOWN, {"image.png": REFUSED[name]}))
    assert "attachments" not in cell and "![" not in text(cell)


@pytest.mark.parametrize("name", ["a b.png", "é.png", "x%20y.png", 'quo"te.png', "../up.png"])
def test_pictures_get_names_that_need_no_escaping(name):
    from urllib.parse import quote

    cell = shown(with_essay(f"![x](attachment:{quote(name)})", {name: {"image/png": PNG}}))
    assert [*cell["attachments"]] == ["picture-1.png"] and "(attachment:picture-1.png)" in text(cell)


def test_metadata_of_a_photograph_is_removed():
    exif = Image.Exif()
    exif[0x010E] = "taken at home by Ann"
    data = picture("JPEG", exif=exif, comment=b"secret comment")
    clean = base64.b64decode(clean_jpeg(data))
    assert b"Ann" in base64.b64decode(data) and b"Ann" not in clean and b"secret" not in clean
    with Image.open(io.BytesIO(clean)) as opened:
        opened.load()
    progressive = clean_jpeg(picture("JPEG", (64, 64), progressive=True))
    with Image.open(io.BytesIO(base64.b64decode(progressive))) as opened:
        opened.load()


def test_pictures_of_an_answer_elsewhere_come_along():
    made = answered(recommendation="*Your answer here.*")
    words = " ".join(f"word{n} and more" for n in range(9))
    blue = picture("PNG", (20, 20))
    for data in (PNG, blue):
        made["cells"].append(
            markdown(f"{data[-30:-20]} {words} {SHOWN}", attachments={"image.png": {"image/png": data}})
        )
    cell = find(rebuild(parse_notebook(json.dumps(made).encode())[0], RELEASED).notebook, "recommendation")
    assert len(cell["attachments"]) == 2 and [*clean_attachments(cell["attachments"], text(cell))] == [
        *cell["attachments"]
    ]


def test_many_pictures_are_bounded():
    source = " ".join(f"![x](attachment:{n}.png)" for n in range(200))
    big = picture("PNG", (MAX_SIDE, MAX_SIDE))
    cell = shown(with_essay(source, {f"{n}.png": {"image/png": big} for n in range(200)}))
    assert 0 < len(cell["attachments"]) <= 12


def test_feedback_draws_pasted_pictures(course):
    from autograder.grading.reports.feedback import write_feedback

    course.submit("ann", {"recommendation": f"I measured this: {SHOWN} and this: ![b](attachment:b.svg)"})
    file = fakes.submitted(course, "ann") / "lab_03_roofline.ipynb"
    notebook = json.loads(file.read_text(encoding="utf-8"))
    find(notebook, "recommendation")["attachments"] = {
        "image.png": {"image/jpeg": JPEG},
        "b.svg": {"image/svg+xml": SVG},
    }
    file.write_text(json.dumps(notebook), encoding="utf-8")
    fakes.run(course)
    write_feedback(course.root, "03_roofline")
    page = course.feedback("ann")
    assert page.count('<img src="data:image/jpeg;base64,') == 1 and "[picture: b]" in page and "svg+xml" not in page
