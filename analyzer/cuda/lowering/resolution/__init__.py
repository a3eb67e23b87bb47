"""Which function a call means, and with which template arguments."""
