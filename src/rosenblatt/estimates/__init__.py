"""After the verdict: the table of estimates, each with what is proved about it."""
