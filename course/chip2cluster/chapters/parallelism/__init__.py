"""The chapter on parallelism, besides its page."""
