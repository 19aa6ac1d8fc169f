"""Grade all submissions of a lab with worker processes or on a Dask cluster."""
