"""What a run will take before it is begun: tokens, time, memory, money, and what it buys."""
