"""What tests share: ways to run programs and compare results, measures, strategies of values."""
