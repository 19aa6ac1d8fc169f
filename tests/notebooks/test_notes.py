"""The reader's own words: kept beside each other, never overwritten, escaped, and in every still."""

import json
import re
from collections import Counter

import pytest

from chip2cluster import explore, journal, predict
from tests.notebooks.test_running import CHAPTERS

pytestmark = pytest.mark.usefixtures("own_record")


def keep(notes, words):
    return notes._answer({"action": "commit", "values": {"words": words}})


def test_what_is_kept_stays_and_more_is_put_beside_it():
    notes = predict.notes("roofline.explore")
    assert "run this cell" in notes._still_bundle()["text/html"]
    assert "Write what you saw" in keep(notes, "  \n")["error"] and notes.kept == []
    shown = keep(notes, " The <b>first</b> mark\nclimbs. ")
    assert shown["opens"] and "The &lt;b&gt;first&lt;/b&gt; mark\nclimbs." in shown["prose"]
    assert shown["controls"][0]["value"] == "" and shown["controls"][0]["label"] == "Add to your notes"
    tab = predict.notes("roofline.explore")  # another tab
    keep(tab, "And the others stay.")
    keep(notes, "And the others stay.")
    assert notes.kept == ["The <b>first</b> mark\nclimbs.", "And the others stay."]
    bundle = notes._still_bundle()
    assert all(words in bundle["text/plain"] for words in notes.kept) and "mark\nclimbs." in bundle["text/html"]


@pytest.mark.parametrize("place", ["explore", "roofline.", "", 7, "roofline.a.b", "../x.y"])
def test_a_place_that_is_none_is_refused(place):
    with pytest.raises(ValueError, match="TOPIC.name"):
        predict.notes(place)


def test_each_place_of_the_course_is_its_own_and_its_page_s():
    places = []
    for page in CHAPTERS:
        topic = re.sub(r"^[0-9]+_", "", page.stem)
        for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
            found = re.findall(r"predict\.notes\([\"'](.*?)[\"']\)", "".join(cell["source"]))
            assert all(place.startswith(f"{topic}.") for place in found), (page.name, found)
            places += [predict.notes(place).place for place in found]
    assert [place for place, count in Counter(places).items() if count > 1] == []


def test_folded_content_works_by_keyboard_and_in_exports():
    import pandas

    made = predict.folded(pandas.DataFrame({"rate": [312.5]}), "Show <the> table")
    assert re.match(
        r"<details><summary [^>]*>Show &lt;the&gt; table</summary>.*312\.5.*</details>$", made._repr_html_(), re.S
    )
    assert "312.5" in repr(made) and repr(made).startswith("Show <the> table")
    assert "<pre>1 &lt; 2</pre>" in predict.folded("1 < 2")._repr_html_()


def test_what_moves_is_not_folded():
    with pytest.raises(TypeError, match="a Roofline runs in a cell of its own"):
        predict.folded(explore.roofline())


def test_the_record_holds_them_with_their_time():
    keep(predict.notes("roofline.explore"), "Climbs.")
    (entry,) = journal.read()["notes"]["roofline.explore"]
    assert entry["text"] == "Climbs." and entry["when"].startswith("20")
