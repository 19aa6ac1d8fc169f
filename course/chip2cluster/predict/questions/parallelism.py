"""Questions on parallelism."""

QUESTIONS = ()
