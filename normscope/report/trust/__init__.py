"""Cards, checks and corrections as pages."""
