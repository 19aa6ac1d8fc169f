"""From a function's answers to a verdict: call it, compare with the reference, name the mistake, show the result."""
