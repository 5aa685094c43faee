from .classes_page import ClassesStudy as ClassesStudy
from .classes_page import write_classes_page as write_classes_page
from .page import Report as Report
from .page import write_report as write_report
from .probes_page import write_page as write_page
