"""What was recorded about the kernels: proofs and fingerprints, and of which sources."""
