"""The names of `scripts/models --kinds`, without a dependency on torch."""
PLAIN = ["vad", "rnnoise", "dtln", "dscnn", "tcn", "ecapa", "ssm", "tinygpt", "gptkv", "rope", "crnn", "seq2", "embag",
         "superpoint", "pointnet", "gnn", "dlrm", "nerf", "style", "anime", "vae", "espcn", "rrdb", "naf", "zerodce",
         "flow", "depth", "fft", "stn", "mixer", "mobilevit", "hand", "blazeface", "lane", "dbnet", "detr", "siam",
         "movenet", "bifpn", "yolo8", "yolo8top", "spectra", "bcresnet", "filters", "matting", "chunk", "simcc",
         "nested", "arcface", "volume", "gat", "deformable"]
NEWER_ONLY = ["gnn", "fft"]  # the older exporter does not support scattered sums and spectra
NHWC = ["tf_classes", "tf_segments", "tf_boxes", "tf_priors", "tf_mesh"]
QUANTIZERS = ["qdq", "qoperator", "dynamic"]
QUANTIZED = ["dscnn", "tcn", "ecapa", "vae", "espcn", "mixer", "blazeface", "arcface", "tf_classes"]  # by all quantizers
QUANTIZED_QDQ = ["depth", "hand", "dbnet", "yolo8", "bcresnet", "nested", "simcc", "volume"]
QUANTIZED_DYNAMIC = ["rnnoise", "dtln", "tinygpt", "rope", "chunk", "filters", "simcc", "spectra"]
KINDS = ([name for name in PLAIN if name not in NEWER_ONLY]
         + [f"{name}.dynamo" for name in PLAIN] + NHWC
         + [f"{name}.{how}" for name in QUANTIZED for how in QUANTIZERS]
         + [f"{name}.qdq" for name in QUANTIZED_QDQ] + [f"{name}.dynamic" for name in QUANTIZED_DYNAMIC])
