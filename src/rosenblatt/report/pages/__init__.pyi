from .classes_page import ClassesStudy as ClassesStudy
from .classes_page import write_classes_page as write_classes_page
from .probes_page import write_page as write_page
