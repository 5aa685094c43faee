"""The command line: one command per file. It shows; it computes nothing that the library could not be asked for."""
