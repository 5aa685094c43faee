"""What happens when disks are full, signals come, streams are closed, memory is short."""
