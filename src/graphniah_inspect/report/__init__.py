"""graphniah_inspect."""
