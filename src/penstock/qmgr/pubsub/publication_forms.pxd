# Compiled for speed; nothing outside needs its types.
