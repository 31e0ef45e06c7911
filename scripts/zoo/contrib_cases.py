"""Cases of scripts/onnx-contrib: name -> op, operands (arrays; a tuple is a constant), attributes, outputs.

Ops without a CPU implementation in onnxruntime have `expect`, computed here by their definition."""
import math

import numpy as np

RANDOM = np.random.default_rng(7)


def real(*dims, scale=1.0):
    return (RANDOM.standard_normal(dims) * scale).astype(np.float32)


def whole(low, high, *dims, dtype=np.int64):
    return RANDOM.integers(low, high, dims).astype(dtype)


def const(array):
    return ("constant", np.asarray(array))


def one(value, dtype=np.float32):
    return const(np.asarray(value, dtype))


CASES = {}


def case(name, op, operands, outputs=1, domain="com.microsoft", opset=18, expect=None, **attrs):
    assert name not in CASES
    CASES[name] = {"op": op, "operands": operands, "outputs": outputs, "domain": domain, "opset": opset, "attrs": attrs}
    if expect is not None:
        CASES[name]["expect"] = expect


# --- activations
X = real(2, 5, 8)
case("fast_gelu", "FastGelu", [X])
case("fast_gelu_bias", "FastGelu", [X, const(real(8))])
case("bias_gelu", "BiasGelu", [X, const(real(8))])
case("quick_gelu", "QuickGelu", [X], alpha=1.2)
case("gelu", "Gelu", [X])
ERF = np.vectorize(math.erf)


def gelu(x):
    return 0.5 * x * (1 + ERF(x / math.sqrt(2)))


B16 = real(16)
X16 = real(2, 4, 16)
case("bias_split_gelu", "BiasSplitGelu", [X16, const(B16)], expect=[(X16 + B16)[..., :8] * gelu((X16 + B16)[..., 8:])])

# --- norms
G, B = const(real(8)), const(real(8))
case("skip_layer_norm", "SkipLayerNormalization", [X, real(2, 5, 8), G, B, const(real(8))], ["y", "", "", "sum"],
     epsilon=1e-5)
case("skip_simplified", "SkipSimplifiedLayerNormalization", [X, real(2, 5, 8), G], ["y", "", "", "sum"], epsilon=1e-5)
case("simplified", "SimplifiedLayerNormalization", [X, G], domain="", epsilon=1e-5)
case("embed_layer_norm", "EmbedLayerNormalization",
     [whole(0, 20, 2, 5, dtype=np.int32), whole(0, 2, 2, 5, dtype=np.int32), const(real(20, 8)), const(real(6, 8)),
      const(real(2, 8)), G, B, np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)], 3)


def group_normed(x, groups, scale, bias, epsilon=1e-5):
    n, h, w, c = x.shape
    g = x.reshape(n, h * w, groups, c // groups)
    mean, var = g.mean((1, 3), keepdims=True), g.var((1, 3), keepdims=True)
    return ((g - mean) / np.sqrt(var + epsilon)).reshape(x.shape) * scale + bias


P = real(1, 4, 4, 8)
SKIP = real(1, 4, 4, 8)
SWISH = group_normed(P, 2, G[1], B[1])
case("group_norm", "GroupNorm", [P, G, B], expect=[SWISH / (1 + np.exp(-SWISH))], groups=2, activation=1,
     channels_last=1)
case("skip_group_norm", "SkipGroupNorm", [P, G, B, SKIP], 2, expect=[group_normed(P + SKIP, 2, G[1], B[1]), P + SKIP],
     groups=2, activation=0, channels_last=1)

# --- products
M, N = real(2, 3, 4, 6), real(2, 3, 6, 5)
case("fused_matmul", "FusedMatMul", [M, N], alpha=0.5)
case("fused_matmul_turned", "FusedMatMul", [M.swapaxes(2, 3).copy(), const(N.swapaxes(2, 3).copy())], transA=1, transB=1)
case("fused_matmul_batch", "FusedMatMul", [real(4, 2, 3, 6), N], transBatchA=1)
case("transpose_matmul", "TransposeMatMul", [M, N.swapaxes(2, 3).copy()], transB=1)
case("fused_gemm", "FusedGemm", [real(4, 6), const(real(6, 5)), const(real(5))], activation="LeakyRelu",
     activation_alpha=0.2)
PICTURE, KERNEL = real(1, 4, 8, 8), const(real(6, 4, 3, 3))
for ACT, PARAMS in {"Relu": [], "Tanh": [], "Sigmoid": [], "LeakyRelu": [0.1], "Clip": [-0.5, 0.7],
                    "HardSigmoid": [0.3, 0.4]}.items():
    case("fused_conv_" + ACT.lower(), "FusedConv", [PICTURE, KERNEL, const(real(6))], activation=ACT, pads=[1, 1, 1, 1],
         **({"activation_params": PARAMS} if PARAMS else {}))
case("fused_conv_sum", "FusedConv", [PICTURE, KERNEL, const(real(6)), real(1, 6, 8, 8)], activation="Relu",
     pads=[1, 1, 1, 1])
case("nhwc_max_pool", "NhwcMaxPool", [whole(0, 255, 1, 8, 8, 4, dtype=np.uint8)], kernel_shape=[2, 2], strides=[2, 2])
BLOCKS = whole(0, 256, 6, 2, 8, dtype=np.uint8)
case("matmul_4_bits", "MatMulNBits", [real(3, 32), const(BLOCKS), const(real(12))], K=32, N=6, bits=4, block_size=16)
case("matmul_4_bits_zeros", "MatMulNBits",
     [real(3, 32), const(BLOCKS), const(real(12)), const(whole(0, 256, 6, dtype=np.uint8))], K=32, N=6, bits=4,
     block_size=16)
case("matmul_4_bits_order", "MatMulNBits",
     [real(3, 32), const(BLOCKS), const(real(12)), None, const(whole(0, 2, 32, dtype=np.int32))], K=32, N=6, bits=4,
     block_size=16)
HALVES = const(whole(0, 256, 96, dtype=np.uint8))
for TYPE in 0, 1:
    case(f"matmul_bnb4_{TYPE}", "MatMulBnb4", [real(3, 32), HALVES, const(np.abs(real(12)))], K=32, N=6, block_size=16,
         quant_type=TYPE)
ROWS = whole(0, 5, 2, 2)
case("gather_blocks_of_bytes", "GatherBlockQuantized", [const(whole(0, 256, 5, 32, dtype=np.uint8)), ROWS,
     const(real(5, 2))], bits=8, block_size=16)
case("gather_blocks", "GatherBlockQuantized", [const(whole(0, 256, 5, 32, dtype=np.uint8)), ROWS, const(real(5, 4))],
     bits=4, block_size=16)
case("gather_blocks_zeros", "GatherBlockQuantized", [const(whole(0, 256, 5, 24, dtype=np.uint8)), ROWS,
     const(real(5, 3)), const(whole(0, 256, 5, 2, dtype=np.uint8))], bits=4, block_size=16)
for METRIC in "euclidean", "sqeuclidean":
    case("cdist_" + METRIC, "CDist", [real(5, 7), const(real(3, 7))], metric=METRIC)
# --- runs of integers
POOL = {"pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7, 3, 4, 5], "ngram_counts": [0, 4, 10], "ngram_indexes": [0, 1, 2, 3, 4, 5, 6, 7],
        "domain": "", "opset": 9}
WORDS = np.array([[1, 1, 3, 3, 3, 7, 2, 5], [8, 6, 7, 5, 6, 8, 4, 5], [3, 4, 5, 6, 4, 5, 7, 8]], np.int64)
for MODE in "TF", "IDF", "TFIDF":
    for LEAST, MOST, SKIPS in (1, 1, 0), (1, 2, 0), (2, 2, 3), (1, 3, 2), (2, 3, 0):
        case(f"tfidf_{MODE.lower()}_{LEAST}_{MOST}_{SKIPS}", "TfIdfVectorizer", [WORDS], mode=MODE, min_gram_length=LEAST,
             max_gram_length=MOST, max_skip_count=SKIPS, **POOL,
             **({} if MODE == "TF" else {"weights": [1.0, 0.5, 2.0, 1.5, 3.0, 0.25, 1.25, 0.75]}))
case("tfidf_row", "TfIdfVectorizer", [WORDS[0].astype(np.int32)], mode="TF", min_gram_length=1, max_gram_length=2,
     max_skip_count=1, **POOL)
case("inverse", "Inverse", [real(2, 3, 4, 4)])
case("trilu", "Trilu", [real(4, 5), one(1, np.int64)], upper=0)
case("gather_nd", "GatherND", [real(3, 4, 5), whole(0, 3, 2, 2)])
case("pad", "Pad", [real(2, 3), const(np.array([0, 1, 1, 2])), one(0.5)], mode="constant")
case("expand_dims", "ExpandDims", [real(2, 3), one(1, np.int32)])
case("rfft", "Rfft", [real(2, 16)], expect=None, normalized=0, onesided=1, signal_ndim=1)
CASES["rfft"]["expect"] = [(lambda f: np.stack([f.real, f.imag], -1))(np.fft.rfft(CASES["rfft"]["operands"][0]))]
case("irfft", "Irfft", [real(2, 9, 2)], normalized=0, onesided=1, signal_ndim=1)
CASES["irfft"]["expect"] = [(lambda x: np.fft.irfft(x[..., 0] + 1j * x[..., 1]))(CASES["irfft"]["operands"][0])]

# --- attention
W, WB = const(real(8, 24)), const(real(24))
case("attention", "Attention", [X, W, WB], num_heads=2)
case("attention_causal", "Attention", [X, W, WB], num_heads=2, unidirectional=1)
case("attention_mask", "Attention", [X, W, WB, np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)], num_heads=2)
case("attention_lengths", "Attention", [X, W, WB, np.array([3, 5], np.int32)], num_heads=2)
case("attention_past", "Attention", [X, W, WB, None, real(2, 2, 2, 3, 4)], 2, num_heads=2, unidirectional=1)
case("attention_added", "Attention", [X, W, WB, None, None, real(2, 2, 5, 5)], num_heads=2)
Q, K, V = real(2, 5, 8), real(2, 6, 8), real(2, 6, 8)
case("multi_head", "MultiHeadAttention", [Q, K, V], num_heads=2)
case("multi_head_bias", "MultiHeadAttention", [Q, K, V, WB], num_heads=2)
case("multi_head_mask", "MultiHeadAttention",
     [Q, K, V, None, np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], np.int32)], num_heads=2)
case("multi_head_added", "MultiHeadAttention", [Q, K, V, None, None, real(1, 2, 5, 6)], num_heads=2, scale=0.3)
case("multi_head_past", "MultiHeadAttention",
     [Q, real(2, 5, 8), real(2, 5, 8), None, None, None, real(2, 2, 3, 4), real(2, 2, 3, 4)], 3, num_heads=2)
COS, SIN = const(np.cos(real(16, 4)).astype(np.float32)), const(np.sin(real(16, 4)).astype(np.float32))
case("rotary", "RotaryEmbedding", [real(2, 5, 16), whole(0, 16, 2, 5), COS, SIN])
case("rotary_heads", "RotaryEmbedding", [real(2, 3, 5, 8), one([2], np.int64), COS, SIN], interleaved=1)
WIDE = [const(np.cos(real(16, 8)).astype(np.float32)), const(np.sin(real(16, 8)).astype(np.float32))]


def lengths(rows):
    return [const(np.array([rows - 1], np.int32)), one(rows, np.int32)]


case("grouped", "GroupQueryAttention", [real(1, 5, 32), real(1, 5, 16), real(1, 5, 16), None, None, *lengths(5)], 3,
     num_heads=4, kv_num_heads=2)
case("grouped_rotary_past", "GroupQueryAttention",
     [real(1, 1, 64), real(1, 1, 32), real(1, 1, 32), real(1, 2, 3, 16), real(1, 2, 3, 16), *lengths(4), *WIDE], 3,
     num_heads=4, kv_num_heads=2, do_rotary=1)
case("grouped_rotary_packed", "GroupQueryAttention", [real(1, 5, 128), None, None, None, None, *lengths(5), *WIDE], 3,
     num_heads=4, kv_num_heads=2, do_rotary=1, rotary_interleaved=1)
case("grouped_window", "GroupQueryAttention",
     [real(1, 6, 32), real(1, 6, 16), real(1, 6, 16), None, None, *lengths(6)], 3, num_heads=4, kv_num_heads=2,
     local_window_size=3, softcap=2.0)

# --- quantized numbers
U8, S8 = np.uint8, np.int8
A8, B8 = whole(0, 256, 2, 3, 4, 4, dtype=U8), whole(0, 256, 2, 3, 4, 4, dtype=U8)
SCALE = [one(0.02), one(120, U8)]
OTHER = [one(0.03), one(130, U8)]
RESULT = [one(0.05), one(110, U8)]
case("qlinear_add", "QLinearAdd", [A8, *SCALE, B8, *OTHER, *RESULT])
case("qlinear_mul", "QLinearMul", [A8, *SCALE, B8, *OTHER, *RESULT])
case("qlinear_sigmoid", "QLinearSigmoid", [A8, *SCALE, one(1 / 256), one(0, U8)])
case("qlinear_leaky", "QLinearLeakyRelu", [A8, *SCALE, *RESULT], alpha=0.1)
case("qlinear_average", "QLinearAveragePool", [A8, *SCALE, *RESULT], kernel_shape=[2, 2])
case("qlinear_average_last", "QLinearAveragePool", [A8, *SCALE, *RESULT], kernel_shape=[2, 2], channels_last=1)
case("qlinear_global", "QLinearGlobalAveragePool", [A8, *SCALE, *RESULT])
case("qlinear_concat", "QLinearConcat", [*RESULT, A8, *SCALE, B8, *OTHER], axis=1)
case("qlinear_softmax", "QLinearSoftmax", [A8, *SCALE, one(1 / 256), one(0, U8)], opset=13, axis=-1)
CASES["qlinear_softmax"]["attrs"]["opset"] = 13
case("qlinear_where", "QLinearWhere", [whole(0, 2, 2, 3, 4, 4).astype(bool), A8, *SCALE, B8, *OTHER, *RESULT])
case("qgemm", "QGemm", [whole(0, 256, 4, 8, dtype=U8), *SCALE, const(whole(-128, 128, 8, 5, dtype=S8)), one(0.01),
                        one(0, S8), const(whole(-99, 99, 5, dtype=np.int32)), one(0.3), one(120, U8)])
case("qgemm_float", "QGemm", [whole(0, 256, 4, 8, dtype=U8), *SCALE, const(whole(-128, 128, 5, 8, dtype=S8)), one(0.01),
                              one(0, S8)], transB=1)
case("matmul_integer_to_float", "MatMulIntegerToFloat",
     [whole(0, 256, 4, 8, dtype=U8), const(whole(-128, 128, 8, 5, dtype=S8)), one(0.02), const(np.abs(real(5)) * 0.1),
      one(120, U8), const(np.zeros(5, S8)), const(real(5))])
case("qattention", "QAttention",
     [whole(0, 256, 2, 5, 8, dtype=U8), const(whole(-128, 128, 8, 24, dtype=S8)), const(real(24)), one(0.02),
      one(0.01), None, one(128, U8), one(0, S8)], num_heads=2)
case("quantize", "QuantizeLinear", [real(3, 4), one(0.05), one(7, U8)])
case("dequantize", "DequantizeLinear", [whole(0, 256, 3, 4, dtype=U8), one(0.05), one(7, U8)])

# --- classical models
ML = "ai.onnx.ml"
ROWS = real(5, 3)


def forest(trees, prefix, targets, classes=None):
    """Attributes of random trees of depth 2."""
    kind = "class" if classes else "target"
    out = {k: [] for k in ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes",
                           "nodes_truenodeids", "nodes_falsenodeids", f"{kind}_treeids", f"{kind}_nodeids",
                           f"{kind}_ids", f"{kind}_weights")}
    for tree in range(trees):
        for node in range(7):
            leaf = node >= 3
            out["nodes_treeids"].append(tree)
            out["nodes_nodeids"].append(node)
            out["nodes_featureids"].append(0 if leaf else int(RANDOM.integers(0, 3)))
            out["nodes_values"].append(0.0 if leaf else float(RANDOM.standard_normal()))
            out["nodes_modes"].append("LEAF" if leaf else prefix)
            out["nodes_truenodeids"].append(0 if leaf else 2 * node + 1)
            out["nodes_falsenodeids"].append(0 if leaf else 2 * node + 2)
            for target in range(targets if leaf else 0):
                out[f"{kind}_treeids"].append(tree)
                out[f"{kind}_nodeids"].append(node)
                out[f"{kind}_ids"].append(target)
                out[f"{kind}_weights"].append(float(abs(RANDOM.standard_normal())))
    if classes:
        out["classlabels_int64s"] = classes
    return out


case("tree_regressor", "TreeEnsembleRegressor", [ROWS], domain=ML, n_targets=2, base_values=[0.5, -0.5],
     **forest(3, "BRANCH_LEQ", 2))
case("tree_regressor_average", "TreeEnsembleRegressor", [ROWS], domain=ML, n_targets=1, aggregate_function="AVERAGE",
     **forest(4, "BRANCH_LT", 1))
case("tree_classifier", "TreeEnsembleClassifier", [ROWS], 2, domain=ML, post_transform="SOFTMAX",
     **forest(3, "BRANCH_LEQ", 3, [3, 5, 9]))
BINARY = forest(3, "BRANCH_GT", 1, [0, 1])
case("tree_classifier_two", "TreeEnsembleClassifier", [ROWS], 2, domain=ML, **BINARY)
case("tree_classifier_logistic", "TreeEnsembleClassifier", [ROWS], 2, domain=ML, post_transform="LOGISTIC",
     **{**BINARY, "class_weights": [w - 0.8 for w in BINARY["class_weights"]]})
case("linear_regressor", "LinearRegressor", [ROWS], domain=ML, coefficients=[0.5, -1.0, 2.0], intercepts=[0.3])
case("linear_classifier", "LinearClassifier", [ROWS], 2, domain=ML, coefficients=real(9).tolist(),
     intercepts=real(3).tolist(), classlabels_ints=[0, 1, 2], post_transform="SOFTMAX", multi_class=1)
for KERNEL, PARAMS in {"LINEAR": [0.5, 0.1, 2.0], "RBF": [0.4, 0.0, 0.0], "POLY": [0.5, 2.0, 2.0],
                       "SIGMOID": [0.5, 0.1, 0.0]}.items():
    case("svm_" + KERNEL.lower(), "SVMRegressor", [ROWS], domain=ML, kernel_type=KERNEL, kernel_params=PARAMS,
         n_supports=4, support_vectors=real(12).tolist(), coefficients=real(4).tolist(), rho=[0.2])
for NAME, CHANCES in (("", {}), ("_chances", {"prob_a": [-1.0, -1.5, -0.5], "prob_b": [0.1, 0.0, -0.1]})):
    case("svm_classifier" + NAME, "SVMClassifier", [ROWS], 2, domain=ML, kernel_type="RBF", kernel_params=PARAMS,
         support_vectors=real(12).tolist(), coefficients=real(8).tolist(), rho=[0.2, -0.1, 0.1],
         vectors_per_class=[2, 1, 1], classlabels_ints=[3, 5, 8], **CHANCES)
case("scaler", "Scaler", [ROWS], domain=ML, offset=[0.1, 0.2, 0.3], scale=[2.0, 3.0, 4.0])
for NORM in ("MAX", "L1", "L2"):
    case("normalizer_" + NORM.lower(), "Normalizer", [np.abs(ROWS)], domain=ML, norm=NORM)
case("binarizer", "Binarizer", [ROWS], domain=ML, threshold=0.1)
HOLES = np.array([[1, np.nan, 3], [np.nan, 2, np.nan]], np.float32)
case("imputer", "Imputer", [HOLES], domain=ML, imputed_value_floats=[7.0, 8.0, 9.0], replaced_value_float=float("nan"))
case("array_features", "ArrayFeatureExtractor", [ROWS, const(np.array([2, 0]))], domain=ML)
case("feature_vector", "FeatureVectorizer", [ROWS, real(5, 2)], domain=ML, inputdimensions=[3, 2])
case("one_hot", "OneHotEncoder", [np.array([3, 1, 4])], domain=ML, cats_int64s=[1, 3, 5], zeros=1)
case("label_encoder", "LabelEncoder", [np.array([3, 1, 4])], domain=ML, keys_int64s=[1, 3], values_floats=[0.5, 1.5],
     default_float=-1.0)
