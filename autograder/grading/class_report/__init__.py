"""Anonymous report on a class, from graded labs and from journals that students chose to hand in."""
