"""
A run that moves
================

Every correction of a run, with play, step and scrub: in a notebook, or as one HTML file that needs no network.
"""

import rosenblatt as rb

data = rb.datasets.margin_cloud(40, 2, margin=0.1, random_state=5)
trace = rb.Perceptron(trace=True).fit(*data).trace_
print(f"{len(trace)} corrections")
rb.plot.animate(trace, *data, w_star=data.w_star)

# %%
# Its method ``save("run.html")`` writes that page, ``save("run.gif")`` a GIF for slides. `The lab <../lab.html>`_ does
# the same with points that can be moved.
