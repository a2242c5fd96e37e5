"""What other tools write and read: our benchmarks, runs and judgements in their formats."""
