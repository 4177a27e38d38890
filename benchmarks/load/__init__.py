"""The load client and the engine it measures. Knows no Django: it reads a plan, writes lines, and exits.

framing (bytes → events) → stream (events → one request's record) → client (HTTP) → schedule (when to send) →
supervisor (one process that owns the engine and the clients).
"""
