"""The commands of `penstock bridge`."""
