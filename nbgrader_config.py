"""nbgrader for this course. Settings of your own go below; https://nbgrader.readthedocs.io explains every option."""

from autograder import nbgrader

c = nbgrader.configure(get_config(), __file__)  # noqa: F821  (nbgrader puts get_config here)
