"""Records of fixed structure (MRM CWF): scanner, writer and domain. Plans are made by `tree.model.cwf`."""
