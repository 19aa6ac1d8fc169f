"""What was measured is what is shown: the browser of the tests knows no font as narrow as the pictures' own."""

from base64 import b64encode

from chip2cluster import explore
from tests.browser.conftest import drawn
from tests.pictures import text_widths


def test_live_views_match_measured_text_and_share_a_typeface(lab, page):
    lab.notebook(page, "from chip2cluster import explore\nexplore.roofline()", "explore.machine()").open().run_all()
    for name in ("Roofline explorer", "Machine explorer"):
        page.get_by_role("group", name=name).get_by_role("img").wait_for()
    assert not text_widths.problems(page, explore.roofline().current.picture, explore.machine().current.picture)
    assert not any("@font-face" in drawn(image) for image in page.locator(".c2c-image").all())


def test_a_still_brings_its_own_typeface(page):
    picture = explore.roofline().current.picture
    assert text_widths.title_is_as_measured(page, picture, picture.data_uri)
    without = "data:image/svg+xml;base64," + b64encode(picture.svg.encode()).decode()
    assert not text_widths.title_is_as_measured(page, picture, without)
