"""Benchmarks of counting and dichotomies."""
