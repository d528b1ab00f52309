"""The classes that Java code may use here, one Python class for each; `registry` finds them by name."""
