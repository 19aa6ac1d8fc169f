"""What a whole class thinks: from graded labs, and from journals that students chose to hand in."""
