from .certifying import examine as examine
from .certifying import strict_rows as strict_rows
from .decision import check_fitted as check_fitted
from .decision import existence as existence
