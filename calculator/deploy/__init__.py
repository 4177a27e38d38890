"""What starts a sized deployment: vLLM's configuration file, its command line, and container descriptions.

Pure Python: a serving point in, texts and coded notes out. `plan.plan` is the door; sentences are the presenter's.
"""
