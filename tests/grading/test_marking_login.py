"""The marking page on a Jupyter server, behind the login of formgrader, which shows the same points."""

import json
import shutil
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.grading.course import LAB, ROOT
from tests.grading.marking import DRAFT, ESSAY, arrive, entry, graded_class, press
from tests.serving import start_jupyter

TOKEN, BASE = "a-token-of-the-tests", "/user/alma/"
NOTEBOOK = f"lab_{LAB}"


@pytest.fixture(scope="module")
def desk(registered, tmp_path_factory):
    """A graded class and a Jupyter server in its folder: the course, and the server's address with its base."""
    course = graded_class(registered, tmp_path_factory.mktemp("login"))
    enabled = Path(course.environment["JUPYTER_CONFIG_DIR"]) / "jupyter_server_config.d"
    enabled.mkdir(parents=True)
    shutil.copy(ROOT / "autograder/serverextension.json", enabled / "autograder.json")
    arguments = [
        *("jupyter_server", "--allow-root", "--no-browser"),
        *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.base_url={BASE}"),
    ]
    server, address = start_jupyter(arguments, course.environment, course.root, course.root / "server.log")
    yield course, address
    server.terminate()
    server.wait(30)


class Visitor:
    """Somebody with cookies; ``get`` and ``post`` return status, final address and text."""

    def __init__(self, address):
        self.address, self.jar = address, CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def get(self, path):
        return self._open(urllib.request.Request(self.address + path))

    def post(self, path, data, **headers):
        headers = {"Content-Type": "application/json"} | {name.replace("_", "-"): v for name, v in headers.items()}
        return self._open(urllib.request.Request(self.address + path, json.dumps(data).encode(), headers))

    def _open(self, request):
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.url, problem.read().decode()


def test_page_needs_the_login_of_the_server(desk):
    course, address = desk
    stranger, alma = Visitor(address), Visitor(address)
    for path in ("marking/", f"marking/{LAB}/{ESSAY}/1of1/", f"marking/{LAB}/{ESSAY}/1of1/answers/1"):
        status, url, _ = stranger.get(path)
        assert "/login" in url and status == 200, path
    assert alma.get(f"marking/?token={TOKEN}")[0] == 200
    status, url, page = alma.get(f"marking/{LAB}/{ESSAY}/1of1/")
    assert status == 200 and url == f"{address}marking/{LAB}/{ESSAY}/1of1/answers/1" and "Answer 1 of 6" in page
    xsrf = page.partition('data-xsrf="')[2].partition('"')[0]
    give, mark = f"marking/{LAB}/{ESSAY}/1of1/answers/1/give", {"lines": ["names-two-chips"], "comment": ""}
    for visitor, headers in (
        (stranger, {}),
        (stranger, {"X_XSRFToken": xsrf}),
        (alma, {}),
        (alma, {"X_XSRFToken": "x"}),
    ):
        assert visitor.post(give, mark, **headers)[0] == 403
    assert alma.post(give, mark, X_XSRFToken=xsrf, Origin="http://evil.example")[0] in (403, 404)
    assert entry(course, first(course)) == (None, None, True)
    status, _, said = alma.post(give, mark, X_XSRFToken=xsrf)
    assert (status, json.loads(said)) == (200, {"points": "1", "next": 2})
    assert entry(course, first(course)) == (1.0, None, False)
    alma.post(f"marking/{LAB}/{ESSAY}/1of1/undo", {}, X_XSRFToken=xsrf)
    assert entry(course, first(course)) == (None, None, True)


def test_page_refuses_what_is_no_question(desk):
    _, address = desk
    alma = Visitor(address)
    alma.get(f"marking/?token={TOKEN}")
    for place, said in (
        ("01_nothing/recommendation/1of1/", "there is no lab '01_nothing'"),
        (f"..%2F{LAB}/recommendation/1of1/", "there is no lab"),
        (f"{LAB}/essay/1of1/", "no written question 'essay'"),
        (f"{LAB}/{ESSAY}/3of2/", "a share is K/N"),
        ("04_occupancy/recommendation/1of1/", "nothing of 04_occupancy waits"),
    ):
        status, _, page = alma.get(f"marking/{place}")
        assert status >= 400 and said in page and "Traceback" not in page, page
    assert alma.get("marking/nothing")[0] == 404


def first(course):
    sheet = course.root / f"autograder/work/rubrics/{LAB}/{ESSAY}.json"
    return json.loads(sheet.read_text(encoding="utf-8"))["order"][0]


def test_formgrader_leads_to_the_page_and_shows_its_points(desk, browser):
    _, address = desk
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"{address}formgrader/manage_assignments?token={TOKEN}")
    tab.get_by_role("link", name="Marking page").click()
    tab.get_by_role("heading", name="Marking").wait_for()
    assert "6 of 7 wait for a mark" in tab.locator("option").first.inner_text()
    assert Axe().run(tab).response["violations"] == []
    tab.get_by_role("button", name="Mark").click()
    tab.get_by_text("Answer 1 of 6").wait_for()
    assert tab.url.startswith(address) and Axe().run(tab).response["violations"] == []
    given = []
    for number in range(1, 7):
        arrive(tab, f"Answer {number} of 6")
        press(tab, f"Digit1 {'Digit3' if number % 2 else 'Digit4'}", DRAFT)
        given.append(tab.locator("#points").inner_text())
        press(tab, "Enter")
    tab.locator("#done").wait_for()
    tab.goto(f"{address}formgrader/gradebook/{LAB}/{NOTEBOOK}")
    tab.locator("td.score, .score").first.wait_for()
    shown = [row.inner_text().split("\t")[4] for row in tab.locator("tbody tr").all()]
    assert sorted(shown) == sorted(f"{points} / 6" for points in [*given, "0"]) and "2" in given
    context.close()
