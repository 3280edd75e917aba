"""A dataset to what is wrong with it: answers re-derived, structure, leaks, shortcuts."""
