"""`warplint config ...`: begin, describe and show configuration files."""
