"""Logs to what one can publish: a tidy table, figures, a page, and paired comparisons."""
