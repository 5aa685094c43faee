from .points import Points as Points
from .points import Weighed as Weighed
from .points import Which as Which
from .points import Whole as Whole
from .points import nearest_float as nearest_float
from .twins import Twins as Twins
from .twins import distinct_rows as distinct_rows
