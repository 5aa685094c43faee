from .ensemble import learning_curve as learning_curve
from .stability import correlation as correlation
from .stability import max_step as max_step
from .stability import time_constant as time_constant
from .steady_state import SteadyState as SteadyState
from .steady_state import predicted_mse as predicted_mse
