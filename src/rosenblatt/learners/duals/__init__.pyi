from .dual_run import DualExamples as DualExamples
from .dual_run import DualRun as DualRun
from .fourier_features import FourierFeatures as FourierFeatures
from .gram import Gram as Gram
from .kernel_bound import KernelBound as KernelBound
from .kernel_bound import bound_run as bound_run
