"""Counting tokens: which tokenizers, where their data lies, how a text of any size is counted, how files are read.

Nothing here knows the web framework or the catalogue. No network is ever asked: see docs/decisions/0045.
"""
