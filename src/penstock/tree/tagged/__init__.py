"""Tagged and delimited text (MRM TDS): scanner, writer and domain. `tree.model.tds` makes the plans."""
