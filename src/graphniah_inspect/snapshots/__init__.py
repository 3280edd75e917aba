"""Semantic Scholar's bulk files to a snapshot: fetched, cleaned, counted, and laid out for random access."""
