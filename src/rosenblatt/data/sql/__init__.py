"""Columns that DuckDB reads: sources, queries, frames, and how their texts write numbers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
