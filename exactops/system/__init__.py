"""What the package needs of the operating system and the processor: files, folders, processors, the control register."""
