from .page import Report as Report
from .page import write_report as write_report
