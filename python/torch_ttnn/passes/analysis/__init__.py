"""Passes that mark graphs and their inputs."""
