from .base import AdaptiveFilter as AdaptiveFilter
from .base import FilterRun as FilterRun
from .base import joined as joined
from .blocks import Channels as Channels
from .inputs import as_numbers as as_numbers
from .inputs import delay_line as delay_line
from .inputs import taps_fit as taps_fit
from .stepping import SteppingFilter as SteppingFilter
