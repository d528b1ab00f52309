"""The commands of `penstock web`."""
