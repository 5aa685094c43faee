from .dual_run import DualExamples as DualExamples
from .dual_run import DualRun as DualRun
from .dual_run import KernelBound as KernelBound
from .dual_run import bound_run as bound_run
from .fourier_features import FourierFeatures as FourierFeatures
from .gram import Gram as Gram
