"""The sales conversation: from a need to an offer that can be sent, compared, questioned and defended."""
