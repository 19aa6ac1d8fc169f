"""The exercises on bisection."""
