"""The GraphNIAH benchmark: where its rows live, which of them a task takes, how answers are read and scored."""
