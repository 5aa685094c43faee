"""One HTML file about two classes: the verdict with its proof, the run, the rows, and how it was all computed."""

from rosenblatt.report.page import Report, write_report

__all__ = ["Report", "write_report"]
