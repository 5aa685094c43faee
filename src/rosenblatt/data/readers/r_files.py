"""Files of R (.rds, .rda), read by pyreadr: data frames, whose factors keep the order of their levels."""

from rosenblatt.data.readers.file_asked import Place, Told
from rosenblatt.data.refusal import Refused
from rosenblatt.data.sql import Source, chosen_table, extra, from_frame

__all__ = ["open_r"]


def open_r(place: Place, told: Told) -> Source:
    """The data frame of an .rds file, or one of those of an .rda file."""
    package = extra("pyreadr", "rds", place.where)
    try:
        found = {str(name or "data"): frame for name, frame in package.read_r(str(place.path)).items()}
    except (package.custom_errors.PyreadrError, package.custom_errors.LibrdataError, OSError, ValueError) as error:
        if isinstance(error, PermissionError):
            raise
        raise Refused(f"{place.where} cannot be read as a file of R: {str(error).rstrip('.')}.") from None
    frame = found[chosen_table(place.where, list(found), place.inner)]
    return from_frame(frame, place.where, told.na)
