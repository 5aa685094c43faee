"""Benchmarks of the estimates."""
