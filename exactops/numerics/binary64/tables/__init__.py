"""Constants written by the derivations in tools/: each file names the command that derives it again."""
