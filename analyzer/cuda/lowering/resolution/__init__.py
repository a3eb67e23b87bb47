"""Which function or specialisation of a template a call means, and with which template arguments."""
