"""The graded exercises of the lab "forty-five footprints, and yours"."""
