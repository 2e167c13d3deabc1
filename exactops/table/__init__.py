"""The declaration of operators and of stored types."""
