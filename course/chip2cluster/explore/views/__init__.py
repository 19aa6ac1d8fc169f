"""The explorers, one a file; `chip2cluster.explore` finds them by the names of the files."""
