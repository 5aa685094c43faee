"""
A run that moves
================

Every correction of a run as a GIF, or as one HTML file with play, step and scrub that needs no network.
"""

import tempfile
from pathlib import Path

import rosenblatt as rb

data = rb.datasets.margin_cloud(40, 2, margin=0.1, random_state=5)
trace = rb.Perceptron(trace=True).fit(*data).trace_

with tempfile.TemporaryDirectory() as folder:
    for name in ("run.gif", "run.html"):
        animation = rb.plot.animate(trace, *data, Path(folder, name), w_star=data.w_star)
        print(name, f"{Path(folder, name).stat().st_size:,} bytes")

print(animation)
