"""Data parallel runs of an image on several cards, which are not implemented."""
from ..refusal import refusal

MultiCardRunner = refusal(
    "MultiCardRunner", "a simulated card computes whole batches, and several cards would be simulated one after the "
    "other", "load the image with pybuda.TTDevice.load_image(img_path=...) and push each part of the batch to it")
