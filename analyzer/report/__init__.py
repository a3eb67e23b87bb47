"""Findings to text: console, JSON, SARIF."""
