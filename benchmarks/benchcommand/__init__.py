"""`manage.py bench …`: what the pages of runs do, from a shell. One module a kind of measurement.

Each module has `add_arguments(parser)` and `ask(options)`, which queues the runs and returns them, or raises what
`asking.refusal` makes.
"""
