"""The command line: one command per file. It asks the library and shows the answer; it computes nothing itself."""
