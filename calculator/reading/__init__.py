"""What each calculator reads of the catalogue beside prices: data sheets, calibration, published runs."""
