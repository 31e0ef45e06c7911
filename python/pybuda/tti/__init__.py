"""Device images: compiled models with their weights and their machine in one file."""
from .image import TTDeviceImage, compile_to_image, load_image

__all__ = ["TTDeviceImage", "compile_to_image", "load_image"]
