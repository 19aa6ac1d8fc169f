"""The explorers of the chapter, one a file."""
