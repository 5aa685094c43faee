"""The lab: a page in the browser, or in a notebook, where a perceptron can be touched.

`python -m rosenblatt.lab` starts the page. `simulation.py` asks the rest of the system all that the page shows; the
page (`lab-ui/`, built into `static/lab.js`) plays it back. `server.py`, `widget.py` and `page.py` are its three homes:
a server on this machine, a notebook, a single HTML file.
"""
