"""Java of a project that is simple enough to be read and run here: `sources.JavaSources` finds a class.

JavaCompute nodes, LANGUAGE JAVA routines and the Java functions of maps are mostly small programs over the
message tree. This room reads their source files, checks every name in them against the library that it has
(`library`), and runs them as closures. What it does not know is refused before the flow starts, with file,
line and name: then the project's Python has to stand in. There is no JVM, no reflection, no thread, no jar.
"""
