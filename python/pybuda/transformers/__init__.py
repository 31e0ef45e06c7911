"""Hugging Face pipelines on the device."""
from .pipeline import NLPPipelineWrapper, pipeline

__all__ = ["NLPPipelineWrapper", "pipeline"]
