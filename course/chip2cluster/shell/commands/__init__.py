"""One file a command: its question, an example, its options, and the answer."""
