"""Tagged and delimited text (MRM TDS): scanner, writer and domain. Plans are made by `tree.model.tds`."""
