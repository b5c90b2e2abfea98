"""Version of the package, in one place: packaging reads it from here, too."""

__version__ = "0.1.0"
