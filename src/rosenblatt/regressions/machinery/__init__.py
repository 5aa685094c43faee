"""What regressions share: columns that are read, rows z, sets of rows, losses, other libraries' fits."""
