"""The offline benchmark: trajectories come in, are replayed, sampled, and measured."""
