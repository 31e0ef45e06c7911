"""Runs of compiled devices."""
