"""Running what devices hold."""
