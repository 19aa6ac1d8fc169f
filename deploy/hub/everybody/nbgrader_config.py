"""nbgrader for every account on the hub: which course, and where its exchange is."""

import os

c = get_config()  # noqa: F821  (nbgrader puts get_config here)

c.CourseDirectory.course_id = "chip2cluster"
c.Exchange.root = os.environ.get("CHIP2CLUSTER_EXCHANGE", "/srv/nbgrader/exchange")
# Where all work under one account, as in a trial, only the hub knows who it is.
if one := os.environ.get("CHIP2CLUSTER_ONE_ACCOUNT"):
    c.CourseDirectory.student_id = one
