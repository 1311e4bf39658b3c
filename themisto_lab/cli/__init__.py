"""The command line: `jupyter themisto ...`, one file a subcommand."""
