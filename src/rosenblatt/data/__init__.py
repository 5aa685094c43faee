"""Arrays and tables in, one canonical layout out; labels as −1/+1."""
