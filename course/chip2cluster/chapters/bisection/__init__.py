"""The chapter on bisection, besides its page."""
