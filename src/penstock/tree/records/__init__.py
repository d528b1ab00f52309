"""Records of fixed structure (MRM CWF): scanner, writer and domain. `tree.model.cwf` makes the plans."""
