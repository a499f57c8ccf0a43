"""One file per command; see `diagnostics.cli` for what a command is."""
