"""Merges device images: `python -m pybuda.tools.tti_merge -mbl FOLDER -mdl NAME NAME ...`, or merge_models()."""
from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

import ttsim


def merge_models(model_bin_location: str, models: Sequence[str], arch: str = "",
                 merged_model_location: str = "", switch_chans_if_capacity_hit: bool = True,
                 overlap_dynamic_queues: bool = True) -> str:
    """Merges FOLDER/NAME.tti of each model into one image and prints the memory in use; returns its path.
    ttsim.InputError for images that are missing or cannot be merged, ttsim.UnsupportedError if memory is full."""
    path = merged_model_location or "merged_model.tti"
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    report = ttsim.merge_images(model_bin_location, list(models), path, arch=arch,
                                reallocate_channels=switch_chans_if_capacity_hit,
                                overlap_dynamic=overlap_dynamic_queues)
    print(report.text)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Merge device images into one.")
    parser.add_argument("-mbl", "--model_binaries_location", required=True, help="folder of the images")
    parser.add_argument("-mdl", "--models", nargs="+", required=True, help="names of the images, without .tti")
    parser.add_argument("-a", "--arch", default="", help="chip of the images; default: that of the first")
    parser.add_argument("-mml", "--merged_model_location", default="merged_model.tti", help="file to write")
    parser.add_argument("-scr", "--skip_channel_reallocation", action="store_true",
                        help="report an error for a full DRAM channel")
    parser.add_argument("-dqo", "--dynamic_queue_overlap_off", action="store_true",
                        help="do not share memory between queues")
    given = parser.parse_args(arguments)
    merge_models(given.model_binaries_location, given.models, given.arch, given.merged_model_location,
                 not given.skip_channel_reallocation, not given.dynamic_queue_overlap_off)


if __name__ == "__main__":
    main()
