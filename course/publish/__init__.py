"""How the course reaches readers: the book, its filmstrips, the lab without a server, the bundle."""
