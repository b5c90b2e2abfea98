"""Documents of offices and publishers."""
