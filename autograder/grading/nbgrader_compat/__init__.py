"""All that this grader uses of nbgrader beyond its public API.

nbgrader 0.9 has no plug-in point for the following, so this package replaces or relies on internals. Each hook is one
function or class and says what it replaces and why. `tests/grading/test_nbgrader_compat.py` has a check for each, which
fails with "nbgrader changed ..." as soon as nbgrader lacks what the hook relies on; it also keeps imports of nbgrader out
of every other module but ``gradebook/database.py`` and ``reports/export.py``, which use the public API alone.

=====================================  ==========================================================
hook                                   what it replaces or relies on
=====================================  ==========================================================
`converters.replace_autograde`         the class that ``nbgrader autograde`` and formgrader's button use
`converters.wrap_conversion`           ``convert_notebooks`` of one converter, from its exporter
`converters.DraftAutograde`            `Autograde` without ``start``: its writer, exporter, destination
`converters.ConversionErrors`          tracebacks in the log of ``convert_notebooks``
`converters.run_quietly`               handlers of a converter's log, and ``capture_log``
`formgrader.replace_submission_times`  ``NbGraderAPI.get_submitted_timestamp``
`formgrader.escape_page_values`        ``BaseHandler.render`` of formgrader's pages
`application.CourseApplication`        where `NbGrader` looks for ``nbgrader_config.py``
`exchange.exchange_folders`            folders of the default exchange
`exchange.CourseCollect`               ``init_src``, ``copy_files`` and ``do_copy`` of ``nbgrader collect``
`exchange.CourseReleaseFeedback`       ``copy_files`` of ``nbgrader release_feedback``
`exchange.exchange_submissions`        what ``nbgrader collect`` would copy
`queries`                              columns of the gradebook's tables, in queries for a whole class
`transactions.TransactionGradebook`    session and engine of `Gradebook`
`transactions.BatchedSaveAutoGrades`   the gradebook that `SaveAutoGrades` uses
`tools`                                helpers of ``nbgrader.utils``, and preprocessors
=====================================  ==========================================================
"""
