"""What every child of the server has at once: imported, and compiled or read from Numba's cache, before it is forked.

Nothing here may start a thread: a thread is not copied by a fork, and what it holds would stay locked. So no query is
asked of DuckDB and no linear program is solved.
"""

import duckdb  # noqa: F401
import matplotlib.backends.backend_agg
import matplotlib.backends.backend_svg
import matplotlib.pyplot  # noqa: F401
import numpy as np

import rosenblatt.cli.app
import rosenblatt.comparison
import rosenblatt.data.tables.opening
import rosenblatt.estimates
import rosenblatt.filters.uses.echo
import rosenblatt.filters.uses.streaming
import rosenblatt.filters.uses.work
import rosenblatt.kernels.fields
import rosenblatt.kernels.filters
import rosenblatt.kernels.likelihood
import rosenblatt.kernels.loop
import rosenblatt.learners.shared.table_fit
import rosenblatt.logic.lesson
import rosenblatt.logic.synthesis
import rosenblatt.models.answers
import rosenblatt.probes.fitting
import rosenblatt.report.page
import rosenblatt.report.probes_page
import rosenblatt.verdicts.existence
import rosenblatt.verdicts.trial  # noqa: F401
from rosenblatt.learners.perceptron import Perceptron

for options in ({}, {"average": True, "order": "shuffled"}):  # Numba is there, so that compiled loops are used
    Perceptron(n_jobs=1, **options).fit(np.array([[0.0], [1.0]]), [0, 1])
