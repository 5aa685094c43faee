from .code_length import CodeLength as CodeLength
from .code_length import code_length as code_length
from .erasure import Erasure as Erasure
from .erasure import erased as erased
from .fitting import fit as fit
from .picture import ProbesDisplay as ProbesDisplay
from .result import Probes as Probes
