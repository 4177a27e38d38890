"""How prices come in: files are read (contract, readers), compared with the catalogue, guarded, applied, taken back."""
