"""Adaptive filters: the linear neuron on a stream. Filter, compare, adapt.

Conventions: y = w·x without a conjugate, so that the weights of a temporal filter are the impulse response it has
learned; e = d − y; the step is η everywhere. A 1-D input is a signal, whose present and past `taps` values are weighed;
the rows of a 2-D input are regressors. Sums are float64 whatever the signal's precision.
"""

from rosenblatt.filters.affine_projection import AffineProjection
from rosenblatt.filters.audio import Stream
from rosenblatt.filters.base import AdaptiveFilter, FilterRun
from rosenblatt.filters.block_lms import BlockLMS
from rosenblatt.filters.decisions import decision_directed
from rosenblatt.filters.ensemble import learning_curve
from rosenblatt.filters.fx_lms import FxLMS
from rosenblatt.filters.inputs import delay_line
from rosenblatt.filters.leaky_lms import LeakyLMS
from rosenblatt.filters.least_squares_filter import LeastSquaresFilter
from rosenblatt.filters.lms import LMS
from rosenblatt.filters.nlms import NLMS
from rosenblatt.filters.partitioned_kalman import PartitionedKalman
from rosenblatt.filters.partitioned_lms import PartitionedLMS
from rosenblatt.filters.rls import RLS
from rosenblatt.filters.sign_lms import SignLMS
from rosenblatt.filters.stability import correlation, max_step, time_constant
from rosenblatt.filters.steady_state import SteadyState, predicted_mse
from rosenblatt.filters.tasks import Filtered, cancel, equalize, identify, predict

__all__ = [
    "LMS",
    "NLMS",
    "RLS",
    "AdaptiveFilter",
    "AffineProjection",
    "BlockLMS",
    "FilterRun",
    "Filtered",
    "FxLMS",
    "LeakyLMS",
    "LeastSquaresFilter",
    "PartitionedKalman",
    "PartitionedLMS",
    "SignLMS",
    "SteadyState",
    "Stream",
    "cancel",
    "correlation",
    "decision_directed",
    "delay_line",
    "equalize",
    "identify",
    "learning_curve",
    "max_step",
    "predict",
    "predicted_mse",
    "time_constant",
]
