"""A snapshot of citations to new examples: planned, built, checked by the oracle, written."""
