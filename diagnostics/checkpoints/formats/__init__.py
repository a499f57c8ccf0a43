"""What a checkpoint's own format proves about it, one file per format; the folder is the registry.

A format is a module with `recognises(path, head) -> bool` (`head` is the first 64 bytes, empty for a
directory) and `prove(path, deep) -> Finding`. Nothing here unpickles, decompresses or follows a name out
of the artefact. `prove` may raise OSError; the caller says what that means.
"""
