"""Hooks into nbgrader beyond its public API: who may import it, and whether it still has what each hook relies on."""

import ast
import inspect
import logging
import re
import subprocess
import textwrap
import traceback
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace

import nbgrader.utils
import pytest
from nbgrader import api
from nbgrader.apps import autogradeapp
from nbgrader.apps.api import NbGraderAPI
from nbgrader.apps.baseapp import NbGrader
from nbgrader.converters import BaseConverter
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.exchange.default.exchange import Exchange
from nbgrader.preprocessors import AssignLatePenalties, NbGraderPreprocessor, SaveAutoGrades
from nbgrader.server_extensions.formgrader.base import BaseHandler

from autograder.grading import nbgrader_compat
from autograder.grading.nbgrader_compat import converters, formgrader, tools
from autograder.grading.nbgrader_compat.exchange import COMPANIONS
from tests.grading.course import ROOT

MAY_IMPORT = {"autograder/grading/gradebook/database.py", "autograder/grading/reports/marks_export.py"}
COLUMNS = {
    "Assignment": {"id", "name"},
    "BaseCell": {"id", "name"},
    "Comment": {"cell_id", "notebook_id", "comment"},
    "Grade": {"cell_id", "notebook_id", "auto_score", "manual_score", "needs_manual_grade"},
    "SubmittedAssignment": {"id", "assignment_id", "student_id", "timestamp", "extension", "late_submission_penalty"},
    "SubmittedNotebook": {"id", "assignment_id", "late_submission_penalty"},
}


def imports_nbgrader(text):
    """Whether a module imports nbgrader, anywhere in it."""
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        if any(name.partition(".")[0] == "nbgrader" for name in names):
            return True
    return False


def test_only_these_modules_import_nbgrader():
    listed = subprocess.run(
        ["git", "ls-files", "autograder/*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = {name for name in listed.stdout.split() if imports_nbgrader((ROOT / name).read_text(encoding="utf-8"))}
    hooks = {name for name in found if name.startswith("autograder/grading/nbgrader_compat/")}
    assert found - hooks == MAY_IMPORT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import os, nbgrader.api", True),
        ("def f():\n    from nbgrader import utils", True),
        ("from . import nbgrader", False),
        ("from autograder import nbgrader", False),
        ("import nbgraderish", False),
    ],
)
def test_import_of_nbgrader_is_recognized(text, found):
    assert imports_nbgrader(text) is found


# --- what each hook relies on ------------------------------------------------------------


def require(condition, what):
    assert condition, f"nbgrader changed {what}"


def names(function):
    """Global names and attributes that a function uses."""
    return inspect.unwrap(function).__code__.co_names


def parameters(function):
    return [*inspect.signature(inspect.unwrap(function)).parameters]


def source(function):
    return textwrap.dedent(inspect.getsource(inspect.unwrap(function)))


def check_replace_autograde():
    require("Autograde" in names(autogradeapp.AutogradeApp.start), "which class `nbgrader autograde` uses")
    require("Autograde" in names(NbGraderAPI.autograde), "which class formgrader's button uses")


def check_wrap_conversion():
    used = names(BaseConverter.start)
    require({"exporter_class", "convert_notebooks"} <= {*used}, "BaseConverter.start")
    require(used.index("exporter_class") < used.index("convert_notebooks"), "when a converter makes its exporter")


def check_draft_autograde():
    require(
        parameters(BaseConverter._format_dest) == ["self", "assignment_id", "student_id", "escape"],
        "BaseConverter._format_dest",
    )
    require({"writer", "exporter", "exporter_class"} <= {*BaseConverter.class_traits()}, "traits of BaseConverter")
    for method in (BaseConverter.write_single_notebook, BaseConverter.set_permissions):
        require("_format_dest" in names(method), f"BaseConverter.{method.__name__}")
    for name in ("run_pre_convert_hook", "run_post_convert_hook"):
        require(hasattr(BaseConverter, name), f"BaseConverter.{name}")


def check_conversion_errors():
    text = source(BaseConverter.convert_notebooks)
    require("    except Exception:" in text, "how convert_notebooks handles an error")
    require("self.log.error(traceback.format_exc())" in text, "how convert_notebooks logs a traceback")
    require(text.rstrip().endswith("\n        raise NbGraderException(msg)"), "how convert_notebooks ends after errors")


def check_run_quietly():
    log = logging.getLogger("a converter for this test")

    def start():
        log.error("a reason")
        raise ValueError("x")

    log.propagate = False
    done = nbgrader.utils.capture_log(SimpleNamespace(log=log, start=start))
    require(done.get("success") is False and done.get("log") == "[ERROR] a reason\n", "nbgrader.utils.capture_log")


def check_replace_submission_times():
    wanted = ["self", "assignment_id", "student_id"]
    require(parameters(NbGraderAPI.get_submitted_timestamp) == wanted, "NbGraderAPI.get_submitted_timestamp")
    require("get_submitted_timestamp" in names(NbGraderAPI.get_submission), "how formgrader lists submissions")


def check_escape_page_values():
    render = getattr(BaseHandler, formgrader.UNESCAPED, BaseHandler.render)
    kinds = [parameter.kind.name for parameter in inspect.signature(render).parameters.values()]
    require(kinds == ["POSITIONAL_OR_KEYWORD", "POSITIONAL_OR_KEYWORD", "VAR_KEYWORD"], "BaseHandler.render")


def check_course_application():
    require("init_syspath" in names(NbGrader.initialize), "where NbGrader.initialize looks for modules")
    require(parameters(NbGrader.initialize) == ["self", "argv", "root"], "NbGrader.initialize")
    require(NbGrader.load_cwd_config is True, "NbGrader.load_cwd_config")
    require("load_cwd_config" in names(NbGrader.load_config_file), "NbGrader.load_config_file")


def check_exchange_folders():
    require({"root", "cache"} <= {*Exchange.class_traits()}, "the folders of its default exchange")


def check_course_collect():
    require(
        {"src_records", "inbound_path", "duedate"} <= {*names(ExchangeCollect.init_src)}, "ExchangeCollect.init_src"
    )
    require({"src_records", "do_copy"} <= {*names(ExchangeCollect.copy_files)}, "ExchangeCollect.copy_files")
    require(parameters(ExchangeCollect.do_copy) == ["self", "src", "dest", "log"], "Exchange.do_copy")
    require("collect" in ExchangeFactory.class_traits(), "ExchangeFactory.collect")


def check_course_release_feedback():
    text = source(ExchangeReleaseFeedback.copy_files)
    require('glob.glob(os.path.join(self.src_path, "*.html"))' in text, "where it looks for pages of feedback")
    require(all(f"{name}" in text for name in COMPANIONS), "the files by which a student's page is found")
    require("release_feedback" in ExchangeFactory.class_traits(), "ExchangeFactory.release_feedback")


def check_exchange_submissions():
    require({"src_records", "inbound_path"} <= {*names(ExchangeCollect.init_src)}, "ExchangeCollect.init_src")
    require("check_owner" in ExchangeCollect.class_traits(), "ExchangeCollect.check_owner")


def check_queries():
    for table, columns in COLUMNS.items():
        missing = [column for column in sorted(columns) if not hasattr(getattr(api, table), column)]
        require(not missing, f"columns of its table {table}: {', '.join(missing)}")


def check_transaction_gradebook():
    require({"engine", "db"} <= {*names(api.Gradebook.__init__)}, "Gradebook.engine or Gradebook.db")
    require("db" in names(api.Gradebook.update_or_create_submission), "how a Gradebook commits")


def check_batched_save_auto_grades():
    functions = [one for one in vars(SaveAutoGrades).values() if inspect.isfunction(one)]
    used = {name for one in functions for name in re.findall(r"self\.gradebook\.(\w+)", source(one))}
    require(used == {"find_grade", "find_comment", "db"}, "what SaveAutoGrades calls of a gradebook")
    kept = {name for one in functions for name in re.findall(r"self\.(\w+_id)\b", source(one))}
    require(kept == {"notebook_id", "assignment_id", "student_id"}, "the attributes of SaveAutoGrades")


def check_tools():
    for name in ("parse_utc", "rmtree", "is_grade", "is_solution", "is_task", "is_locked"):
        require(len(parameters(getattr(nbgrader.utils, name))) == 1, f"nbgrader.utils.{name}")
    require("plugin_class" in AssignLatePenalties.class_traits(), "AssignLatePenalties.plugin_class")
    require("enabled" in NbGraderPreprocessor.class_traits(), "NbGraderPreprocessor.enabled")


def other(*_):
    """Replace a function of nbgrader by this one, which does nothing that a hook relies on."""


def calls_another_method(self):
    self.gradebook.find_cell()


def without_traits(cls, **_):
    return {}


# For each hook its check, and a change of nbgrader that the check must notice.
HOOKS = {
    "converters.replace_autograde": (check_replace_autograde, NbGraderAPI, "autograde", other),
    "converters.wrap_conversion": (check_wrap_conversion, BaseConverter, "start", other),
    "converters.DraftAutograde": (check_draft_autograde, BaseConverter, "set_permissions", other),
    "converters.ConversionErrors": (check_conversion_errors, BaseConverter, "convert_notebooks", other),
    "converters.run_quietly": (check_run_quietly, nbgrader.utils, "capture_log", lambda app: {"ok": False}),
    "formgrader.replace_submission_times": (check_replace_submission_times, NbGraderAPI, "get_submission", other),
    "formgrader.escape_page_values": (check_escape_page_values, BaseHandler, formgrader.UNESCAPED, other),
    "application.CourseApplication": (check_course_application, NbGrader, "load_config_file", other),
    "exchange.exchange_folders": (check_exchange_folders, Exchange, "class_traits", classmethod(without_traits)),
    "exchange.CourseCollect": (check_course_collect, ExchangeCollect, "copy_files", other),
    "exchange.CourseReleaseFeedback": (check_course_release_feedback, ExchangeReleaseFeedback, "copy_files", other),
    "exchange.exchange_submissions": (check_exchange_submissions, ExchangeCollect, "init_src", other),
    "queries": (check_queries, api, "Grade", object),
    "transactions.TransactionGradebook": (check_transaction_gradebook, api.Gradebook, "__init__", other),
    "transactions.BatchedSaveAutoGrades": (
        check_batched_save_auto_grades,
        SaveAutoGrades,
        "_add_score",
        calls_another_method,
    ),
    "tools": (check_tools, AssignLatePenalties, "class_traits", classmethod(without_traits)),
}


@pytest.mark.parametrize("hook", HOOKS)
def test_nbgrader_has_what_the_hook_relies_on(hook):
    HOOKS[hook][0]()


@pytest.mark.parametrize("hook", HOOKS)
def test_check_of_the_hook_notices_a_change(hook, monkeypatch):
    check, owner, name, replacement = HOOKS[hook]
    monkeypatch.setattr(owner, name, replacement, raising=False)
    with pytest.raises(AssertionError, match="nbgrader changed"):
        check()


def test_every_hook_is_listed_and_exists():
    assert re.findall(r"^`([\w.]+)`", nbgrader_compat.__doc__, re.M) == [*HOOKS]
    for hook in HOOKS:
        module, _, name = hook.partition(".")
        found = import_module(f"{nbgrader_compat.__name__}.{module}")
        assert not name or inspect.getdoc(getattr(found, name))


# --- what hooks do where nbgrader would not -----------------------------------------------


def test_temporary_traits_are_restored_after_an_error():
    directory = SimpleNamespace(student_id="*")
    with suppress(KeyError), tools.temporary_traits(directory, student_id="ann"):
        assert directory.student_id == "ann"
        raise KeyError
    assert directory.student_id == "*"


def test_page_values_are_escaped():
    values = {"student": "<b>'", "resources": {"name": '"'}, "count": 2}
    assert formgrader.escape_values(values) == {"student": "&lt;b&gt;&#39;", "resources": {"name": "&#34;"}, "count": 2}


def test_replace_autograde_sets_both_names(monkeypatch):
    monkeypatch.setattr(autogradeapp, "Autograde", None)
    monkeypatch.setattr(import_module("nbgrader.apps.api"), "Autograde", None)
    converters.replace_autograde(converters.Autograde)
    assert autogradeapp.Autograde is converters.Autograde is import_module("nbgrader.apps.api").Autograde


CONVERTING = """
def convert(log):
    for name, words in (("a", None), ("b", "the database is old")):
        try:
            raise ValueError(f"{name} is broken")
        except ValueError:
            log.error(traceback.format_exc())
            if words:
                raise NbGraderException(words)
"""


def test_conversion_errors_stay_with_their_labs(caplog):
    names = {"traceback": traceback, "NbGraderException": converters.NbGraderException}
    # Only records of the module of `convert_notebooks` are held back.
    exec(compile(CONVERTING, BaseConverter.convert_notebooks.__code__.co_filename, "exec"), names)
    log = logging.getLogger("a converter that fails twice")
    with converters.ConversionErrors(log) as errors:
        with pytest.raises(converters.NbGraderException):
            errors.convert(lambda: names["convert"](log))
        errors.report("a stays")
        errors.report("b stays")
    assert [record.getMessage() for record in caplog.records] == [
        "a stays: ValueError: a is broken",
        "b stays: the database is old",
    ]
