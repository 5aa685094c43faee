"""The table of estimates as people and programs take it: numbers, words, tests, predictions, files."""
