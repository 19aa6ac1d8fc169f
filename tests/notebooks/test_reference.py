"""Notation, glossary and bibliography are in step with the chapters, and every link leads somewhere."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from autograder import course_pages
from autograder.exercises import exercise
from tests.tables import every_row

COURSE = Path(__file__).resolve().parents[2] / "course"
REFERENCE = ("notation.ipynb", "glossary.ipynb", "bibliography.ipynb")
CHAPTERS = course_pages.chapters()

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?: \"[^\"\n]*\")?\)")
ENTRY = re.compile(
    r'^<a id="(?P<id>[a-z0-9-]+)"></a>\*\*(?P<term>[^*]+)\*\*(?: \((?P<other>[^)]+)\))?: (?P<text>.+) \*→ (?P<links>.+?)(?:; practice: (?P<practice>.+?))?(?:; see it: (?P<seen>.+))?\*$'
)
WORK = re.compile(r'^- <a id="(?P<id>[a-z0-9-]+)"></a>(?P<citation>.+?)\. → (?P<use>.+)$')
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@cache
def cells(page):
    return json.loads(page.read_text(encoding="utf-8"))["cells"]


@cache
def prose(page):
    """The Markdown of a page, its links as plain words, without the marks of emphasis and code."""
    text = "\n".join("".join(cell["source"]) for cell in cells(page) if cell["cell_type"] == "markdown")
    return re.sub(r"[*`]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))


@cache
def formulas(page):
    """All formulas of a page, one a line."""
    text = "\n".join("".join(cell["source"]) for cell in cells(page) if cell["cell_type"] == "markdown")
    text = re.sub(r"```.*?```|`[^`\n]*`", " ", text, flags=re.S)  # a $ in code is a shell's
    return "\n".join(a or b for a, b in re.findall(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", text, re.S))


@cache
def anchors(page):
    """Fragments of a page: explicit anchors, and its headings and cells as JupyterLab names them."""
    names = {f"cell-id={cell['id']}" for cell in cells(page) if cell["cell_type"] == "code"}
    for cell in cells(page):
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            names |= set(re.findall(r'<a id="([^"]+)">', text))
            names |= {
                re.sub(r"[*`]", "", heading).strip().replace(" ", "-")
                for heading in re.findall(r"^#+ (.+)$", text, re.M)
            }
    return names


def lines(name, pattern):
    """Every line of a reference page that has the form of an entry."""
    text = "\n".join("".join(cell["source"]) for cell in cells(COURSE / name) if cell["cell_type"] == "markdown")
    return [match for line in text.splitlines() if (match := pattern.match(line))]


def chapter(number):
    return next((page for page in CHAPTERS if course_pages.number(page) == int(number)), None)


def uses(page, term):
    """Whether a chapter says the term: any letter case, plural or not, hyphen or space."""
    pattern = r"[-\s]+".join(re.escape(word) for word in re.split(r"[-\s]+", term))
    return re.search(rf"(?<![\w-]){pattern}(?:s|es|ed)?(?!\w)", prose(page), re.I) is not None


@every_row("page", sorted(COURSE.glob("*.ipynb")))
def test_links_lead_to_a_page_and_to_a_place_in_it(page):
    for cell in cells(page):
        if cell["cell_type"] != "markdown":
            continue
        for target in LINK.findall("".join(cell["source"])):
            if ":" in target or target.startswith("images/"):
                continue
            file, _, fragment = target.partition("#")
            place = page.parent / file if file else page
            assert place.exists(), f"{page.name}, cell {cell['id']}: no page {file}"
            if fragment:
                assert fragment in anchors(place), f"{page.name}, cell {cell['id']}: no place {target}"


def test_the_first_page_leads_to_the_reference_pages():
    text = "".join("".join(cell["source"]) for cell in cells(COURSE / "00_start.ipynb"))
    assert all(f"({name})" in text for name in (*REFERENCE, "errors.ipynb", "reality.ipynb"))


# --- glossary


def test_terms_are_unique_and_in_order():
    entries = lines("glossary.ipynb", ENTRY)
    assert len(entries) > 100
    terms = [entry["term"].casefold() for entry in entries]
    assert len(set(terms)) == len(terms) and terms == sorted(terms)
    ids = [entry["id"] for entry in entries]
    assert len(set(ids)) == len(ids) and ids == [term.replace(" ", "-").replace("'", "") for term in terms]


def test_every_line_of_the_glossary_is_an_entry():
    for cell in cells(COURSE / "glossary.ipynb")[1:]:
        for line in "".join(cell["source"]).splitlines():
            assert (
                not line or line.startswith("## ") or re.fullmatch(r'<a id="[a-z]"></a>', line) or ENTRY.match(line)
            ), line


@every_row("entry", lines("glossary.ipynb", ENTRY))
def test_a_term_is_short_and_used_where_it_is_taught(entry):
    assert 1 <= len(re.findall(r"[.!?](?=\s|$)", entry["text"])) <= 3
    forms = [entry["term"], *(entry["other"] or entry["term"]).split(", ")]
    taught = re.findall(r"\[(\d+)\]\(([^)]+)\)", entry["links"])
    assert taught
    for number, target in taught:
        assert chapter(number) and chapter(number).name == target
        assert any(uses(chapter(number), form) for form in forms), f"chapter {number} does not say {forms}"


@every_row("entry", [entry for entry in lines("glossary.ipynb", ENTRY) if entry["practice"]])
def test_a_term_is_practiced_in_a_chapter_that_says_it(entry):
    chapters = {course_pages.topic(page): page for page in CHAPTERS}
    forms = [entry["term"], *(entry["other"] or entry["term"]).split(", ")]
    for name in entry["practice"].split(", "):
        topic = exercise(name.strip("`")).id.split(".")[0]
        assert any(uses(chapters[topic], form) for form in forms), f"{entry['term']}: {name}"


# Words that a reader brings from papers, manuals and job postings.
SEARCHED = [
    *(
        "TTFT",
        "TPOT",
        "ITL",
        "MoE",
        "GQA",
        "MLA",
        "SLO",
        "DP",
        "TP",
        "PP",
        "CP",
        "EP",
        "SP",
        "FSDP",
        "ZeRO",
        "MFU",
        "HFU",
    ),
    *("NVLS", "SHARP", "RDMA", "GDR", "NCCL", "MIG", "NIC", "OOM", "Xid", "PUE", "MTBF", "HBM", "ECMP", "OCS", "rail"),
    *(
        "coalescing",
        "occupancy",
        "wave",
        "tile",
        "prefill",
        "decode",
        "goodput",
        "backfill",
        "preemption",
        "incast",
        "gang",
    ),
    *(
        "oversubscription",
        "straggler",
        "spare",
        "quantization",
        "ring",
        "ridge",
        "KV cache",
        "flight recorder",
        "hot spare",
    ),
    *("time to first token", "mixture of experts", "tensor parallelism", "data parallelism", "pipeline parallelism"),
    *("expert parallelism", "context parallelism", "sequence parallelism", "in-flight batching", "continuous batching"),
    *("chunked prefill", "disaggregated serving", "speculative decoding", "paged attention", "head-of-line blocking"),
    *("wave quantization", "tile quantization", "gradient accumulation", "activation checkpointing", "bank conflict"),
    *("silent data corruption", "fair share", "gang scheduling", "Young/Daly", "Little's law", "ring all-reduce"),
    *("spot instance", "GPUDirect RDMA", "bus bandwidth", "rail-optimized", "prefix cache"),
]


def test_words_that_readers_search_have_an_entry():
    entries = lines("glossary.ipynb", ENTRY)
    forms = [form for entry in entries for form in [entry["term"], *(entry["other"] or "").split(", ")] if form]
    assert {word for word in SEARCHED if word not in forms} == set()
    assert len([form.casefold() for form in forms]) == len({form.casefold() for form in forms}), "one entry for a word"


@every_row("word", SEARCHED)
def test_a_central_term_has_a_number(word):
    entries = lines("glossary.ipynb", ENTRY)
    entry = next(one for one in entries if word in [one["term"], *(one["other"] or "").split(", ")])
    assert re.search(r"\d", entry["text"]), entry["term"]


def test_a_term_is_found_as_it_is_used():
    page = COURSE / "03_roofline.ipynb"
    assert uses(page, "ridge") and uses(page, "Memory bound") and not uses(page, "rid") and not uses(page, "torus")


# --- notation


def meanings():
    """Rows of the tables of symbols: symbol, numbers of the chapters, meaning."""
    for cell in cells(COURSE / "notation.ipynb"):
        rows = [line.strip("|").split("|") for line in "".join(cell["source"]).splitlines() if line.startswith("|")]
        if cell["id"] not in ("symbols", "letters"):
            continue
        names = [name.strip() for name in rows[0]]
        chapters, meaning = names.index("chapter"), names.index("meaning")
        yield from ((row[0].strip(" $"), re.findall(r"\d+", row[chapters]), row[meaning].strip()) for row in rows[2:])


def symbols():
    """Rows of the tables of symbols: symbol and numbers of the chapters."""
    return ((symbol, numbers) for symbol, numbers, _ in meanings())


@every_row(("symbol", "numbers"), list(symbols()))
def test_a_symbol_stands_in_a_formula_of_its_chapter(symbol, numbers):
    end = r"(?![A-Za-z])" if symbol[-1].isalpha() else ""
    for number in numbers:
        text = (
            re.sub(r"\\text\{[^}]*\}", "", formulas(chapter(number)))
            if "text" not in symbol
            else formulas(chapter(number))
        )
        assert re.search(rf"(?<![A-Za-z\\]){re.escape(symbol)}{end}", text), f"chapter {number} has no {symbol}"


NOT_OURS = {  # matrices and their elements, counters, and the letters of a text that a chapter quotes
    "accelerators": {"a", "b", "c"},
    "roofline": {"A", "B", "C"},
    "occupancy": {"M", "R", "m", "t"},
    "systolic": {"A", "B", "C", "i", "j"},
    "collectives": {"i"},
    "storage": {"i", "j"},
    "scheduling": {"i", "j"},
}


@every_row("page", CHAPTERS)
def test_every_letter_of_a_formula_is_in_the_notation(page):
    number = str(course_pages.number(page))
    known = {
        re.match(r"\\?[A-Za-z]+" if symbol[0] == "\\" else ".", symbol).group()
        for symbol, numbers in symbols()
        if number in numbers
    }
    text = re.sub(r"\\(?:text|tag)\{[^}]*\}", " ", formulas(page))
    letters = set(re.findall(r"\\(?:alpha|beta|gamma|pi|ell)\b", text)) | set(
        re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", text))
    )
    assert letters - known == NOT_OURS.get(course_pages.topic(page), set())


def test_pi_is_not_a_letter_of_the_course():
    """A reader takes it for 3.14; the peak of a chip has a letter of its own on every page."""
    assert [page.stem for page in [*CHAPTERS, COURSE / "notation.ipynb"] if re.search(r"\\pi\b", formulas(page))] == []
    assert "P_\\text{peak}" in dict(symbols())


def test_a_letter_has_one_meaning_in_a_chapter():
    meanings = [(symbol, number) for symbol, numbers in symbols() for number in numbers]
    assert len(set(meanings)) == len(meanings)


# --- numbered equations

DISPLAYED = re.compile(r"\$\$(.+?)\$\$", re.S)
TAG = re.compile(r"\\tag\{([^}]*)\}")
LABS = sorted(COURSE.parent.glob("solutions/*/*.ipynb"))


def tags(page):
    """The number of each displayed formula of a page, in order; an empty text where it has none or two."""
    tagged = []
    for cell in cells(page):
        if cell["cell_type"] == "markdown":
            for formula in DISPLAYED.findall("".join(cell["source"])):
                numbers = TAG.findall(formula)
                tagged.append(numbers[0] if len(numbers) == 1 else "")
    return tagged


@every_row("page", [*CHAPTERS, COURSE / "notation.ipynb"])
def test_displayed_formulas_are_numbered_in_order(page):
    first = course_pages.number(page) if page in CHAPTERS else "N"  # the page of notation belongs to no chapter
    assert tags(page) == [f"{first}.{position}" for position in range(1, len(tags(page)) + 1)]


def test_every_chapter_has_a_numbered_formula():
    assert all(tags(page) for page in CHAPTERS)
    assert not any(tags(page) for page in LABS)  # labs lean on the chapters' formulas


@every_row("page", [*sorted(COURSE.glob("*.ipynb")), *LABS])
def test_a_mention_of_an_equation_names_one_that_exists(page):
    known = {number for chapter in CHAPTERS for number in tags(chapter)}
    for cell in cells(page):
        if cell["cell_type"] == "markdown":
            text = DISPLAYED.sub("", "".join(cell["source"]))
            for mention in re.findall(r"\bequations?\s+\(?\d\S*", text, re.I):
                form = re.match(r"equation \((\d+\.\d+)\)", mention)
                assert form and form.group(1) in known, f"{page.name}, cell {cell['id']}: {mention}"


# --- bibliography


def works():
    return [work["citation"] for work in lines("bibliography.ipynb", WORK)]


def plain(text):
    return re.sub(r"[*`]", "", text).casefold()


def test_every_work_stands_there_once():
    entries = lines("bibliography.ipynb", WORK)
    text = "\n".join("".join(cell["source"]) for cell in cells(COURSE / "bibliography.ipynb"))
    assert len(entries) == len(re.findall(r"^- ", text, re.M)) > 60
    for key in ("id", "citation"):
        assert len({work[key] for work in entries}) == len(entries)
    titles = [title.casefold() for work in entries for title in re.findall(r"\*([^*]+)\*", work["citation"])]
    assert len(set(titles)) == len(titles)
    numbers = re.findall(r"(?:doi:|arXiv:)\S+", " ".join(works()))
    assert len(set(numbers)) == len(numbers)


def sources(page):
    """The bullets of a chapter's Sources box."""
    box = next((cell for cell in reversed(cells(page)) if "**Sources.**" in "".join(cell["source"])), None)
    assert box, f"{page.name} has no box of sources: a cell that begins with > **Sources.**"
    return [line.lstrip("> -") for line in "".join(box["source"]).splitlines()[1:]]


def titles(text):
    return re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", text)


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_every_source_of_a_chapter_is_in_the_bibliography(page):
    known = {name for work in works() for name in re.findall(r"[A-Z][\w-]{3,}", work)}
    for bullet in sources(page):
        for statement in re.split(r"(?<=[a-z0-9)*])\. (?=[A-Z])", bullet):
            author = re.match(r"(?:[A-Z]\. )+([\w-]+(?: [A-Z][\w-]+)*)", statement)
            for position, title in enumerate(titles(statement)):
                surname = author.group(1) if author and position == 0 else ""  # a second work may have other authors
                matching = [work for work in works() if plain(title) in plain(work) and surname in work]
                assert matching, f"{page.name}: {title}"
                year = YEAR.search(statement.partition(f"*{title}*")[2])
                assert not year or any(year.group() in work for work in matching), (
                    f"{page.name}: {title}, {year.group()}"
                )
            # without a title: a maker or a project, or a remark, or where the package names its own sources
            named = any(name in statement for name in known) or "source" in statement or "data sheet" in statement
            assert titles(bullet) or named, f"{page.name}: {statement}"


def cited():
    """Surname and year of each work that a page's claims, the package or its data cite."""
    files = [*COURSE.glob("*.ipynb"), *COURSE.glob("chip2cluster/**/*.py"), *COURSE.glob("chip2cluster/data/*.json")]
    for file in files:
        if file.name not in REFERENCE:
            text = re.sub(r"\s+", " ", file.read_text(encoding="utf-8"))
            for surname, year in re.findall(r"([A-Z][\w-]+) et al\.? ((?:19|20)\d\d)", text):
                yield surname, year
            for surname, year in re.findall(r"(?:[A-Z]\. )+([A-Z][\w-]+) et al\., [^;\"]{0,120}?((?:19|20)\d\d)", text):
                yield surname, year


@every_row(("surname", "year"), sorted(set(cited())))
def test_every_cited_paper_is_in_the_bibliography(surname, year):
    assert any(surname in work and year in work for work in works())
