"""The one exception for what a user can mend: a wrong option, a damaged file, missing data."""


class UserError(ValueError):
    """Says what was found, what was expected, and the cure; shown without a traceback."""
