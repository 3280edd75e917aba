"""Before a run: what it will ask, what it will cost, and the command that starts it."""
