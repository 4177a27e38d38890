"""Pure rules of advice, outlook and bills: standard library and calculator.domain only; no Django, no I/O."""
