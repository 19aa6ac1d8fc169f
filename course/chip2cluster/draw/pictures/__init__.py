"""The pictures, one a file; `chip2cluster.draw` finds them by the names of the files."""
