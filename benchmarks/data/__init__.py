"""Benchmarks of tables and stores."""
