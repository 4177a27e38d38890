"""The calculation core: standard library only, no Django, no input or output.

Everything here takes frozen values and returns frozen values. Sentences are not made here: results carry message
codes and values, and the presenters turn them into French or English.
"""
