"""Expressions, literals, calls (of methods, virtual ones and lambdas too), conversions → values;
names of variables and members → places."""
