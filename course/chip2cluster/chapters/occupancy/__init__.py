"""The chapter on occupancy, besides its page."""
