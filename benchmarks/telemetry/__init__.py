"""How the hardware stood during a measurement: read from the driver, sampled beside the run, judged. Knows no Django.

None everywhere means that the device, the driver or the binding does not tell. It is never replaced by 0.
"""
