"""An image on several cards at once."""
from ..refusal import refusal

MultiCardRunner = refusal(
    "MultiCardRunner", "a simulated card computes whole batches, and several of them would take as long one after the "
    "other", "load the image by pybuda.TTDevice.load_image(img_path=...) and push each part of the batch to it")
