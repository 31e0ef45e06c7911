// ONNX's signal transforms, as products with tables of cosines and sines.
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "compiler/onnx/join.hpp"

namespace ttsim::impl::ir {

namespace {

/// Real and imaginary part of a signal; a real signal has no imaginary part.
struct Complex {
    ValueId real;
    std::optional<ValueId> imaginary;
};

/// Splits the last axis, which has one or both parts.
Complex parts(Import& n, ValueId x) {
    const Dims d = n.b.dims(x);
    if (d.size() < 2 || d.back() < 1 || d.back() > 2)
        n.wrong("{} has no last axis of real and imaginary parts", to_string(n.b.type(x)));
    const Dims less(d.begin(), d.end() - 1);
    const std::int64_t last = static_cast<std::int64_t>(d.size()) - 1;
    if (d.back() == 1) return {n.b.reshape(x, less), {}};
    return {n.b.reshape(n.gather(x, last, {0}), less), n.b.reshape(n.gather(x, last, {1}), less)};
}

ValueId with_parts(Import& n, ValueId real, ValueId imaginary) {
    Dims d = n.b.dims(real);
    d.push_back(1);
    return joined(n, n.b.reshape(real, d), n.b.reshape(imaginary, d), static_cast<std::int64_t>(d.size()) - 1);
}

/// Table [rows, cols] of scale(c) * f(2 pi r c / length).
template <class F, class Scale>
Literal waves(Import& n, std::int64_t rows, std::int64_t cols, std::int64_t length, F f, Scale scale) {
    Literal table = zero_matrix(rows, cols, n.loc(), "node");
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) {
            const double revolutions = static_cast<double>(r * c % length) / static_cast<double>(length);
            table.set(r * cols + c, scale(c) * f(2 * std::numbers::pi * revolutions));
        }
    return table;
}
double cosine_of(double x) { return std::cos(x); }
double sine_of(double x) { return std::sin(x); }

/// Transform along an axis: the first `results` of `length` frequencies. Elements beyond the length are ignored.
ValueId transformed(Import& n, const Complex& x, std::int64_t axis, std::int64_t length, std::int64_t results,
                    bool inverse) {
    const std::int64_t given = n.b.dims(x.real)[static_cast<std::size_t>(axis)];
    const double all = inverse ? 1 / static_cast<double>(length) : 1;
    const auto scale = [&](std::int64_t c) { return c < length ? all : 0.0; };
    const auto cosines = [&](ValueId v) {
        return n.b.map_axis(v, axis, waves(n, results, given, length, cosine_of, scale));
    };
    const auto sines = [&](ValueId v) {
        const double sign = inverse ? 1 : -1;
        return n.b.map_axis(v, axis,
                            waves(n, results, given, length, sine_of, [&](std::int64_t c) { return sign * scale(c); }));
    };
    if (!x.imaginary) return with_parts(n, cosines(x.real), sines(x.real));
    return with_parts(n, n.binary(op::subtract, cosines(x.real), sines(*x.imaginary)),
                      n.binary(op::add, cosines(*x.imaginary), sines(x.real)));
}

/// A real signal of `length` from the first half of its frequencies.
ValueId real_signal(Import& n, const Complex& x, std::int64_t axis, std::int64_t length) {
    const std::int64_t given = n.b.dims(x.real)[static_cast<std::size_t>(axis)];
    const auto scale = [&](std::int64_t c) {
        if (c > length / 2) return 0.0;
        const bool alone = c == 0 || 2 * c == length;
        return (alone ? 1 : 2) / static_cast<double>(length);
    };
    ValueId y = n.b.map_axis(x.real, axis, waves(n, length, given, length, cosine_of, scale));
    if (x.imaginary)
        y = n.binary(op::subtract, y,
                     n.b.map_axis(*x.imaginary, axis, waves(n, length, given, length, sine_of, scale)));
    return y;
}

void check_length(Import& n, std::int64_t length) {
    if (length < 1) n.wrong("a transform of the length {}", length);
    n.check_positions(length);
}

void discrete_fourier(Import& n) {
    n.need_rank(2);
    const bool inverse = n.i("inverse", 0) != 0, onesided = n.i("onesided", 0) != 0;
    const std::int64_t given = n.opset < 20 ? n.i("axis", 1) : n.has(2) ? n.integer(2) : -2;
    const std::int64_t axis = n.axis(given, n.rank()), size = n.dims()[static_cast<std::size_t>(axis)];
    if (axis == n.rank() - 1) n.wrong("its axis is the last one, which holds real and imaginary parts");
    const std::int64_t length = n.has(1) ? n.integer(1) : inverse && onesided ? 2 * (size - 1) : size;
    check_length(n, length);
    const Complex x = parts(n, n.x(0));
    if (inverse && onesided) {
        const ValueId y = real_signal(n, x, axis, length);
        Dims d = n.b.dims(y);
        d.push_back(1);
        return n.add_output(n.b.reshape(y, d));
    }
    n.add_output(transformed(n, x, axis, length, onesided ? length / 2 + 1 : length, inverse));
}

/// Transforms frames of a long real signal by a convolution, which avoids gathering frames. Real and imaginary part of
/// each frequency alternate.
std::optional<ValueId> convolved(Import& n, ValueId signal, std::int64_t step, std::int64_t length,
                                 std::int64_t frequencies) {
    constexpr std::int64_t long_signal = 1 << 16, least = 16;  // must match decompose-convolution
    const Dims d = n.b.dims(signal);
    const std::int64_t frames = 1 + (d[1] - length) / step, row = std::gcd(step, length);
    const Literal* const window = n.has(2) ? n.b.literal(n.x(2)) : nullptr;
    if (d[2] != 1 || frames * length <= long_signal || row < least || d[1] % row != 0 || (n.has(2) && !window))
        return std::nullopt;
    Literal waves(DType::F32, {2 * frequencies, 1, length});
    for (std::int64_t f = 0; f < frequencies; ++f)
        for (std::int64_t c = 0; c < length; ++c) {
            const double revolutions = static_cast<double>(f * c % length) / static_cast<double>(length);
            const double angle = 2 * std::numbers::pi * revolutions, weight = window ? window->at(c) : 1;
            waves.set(2 * f * length + c, weight * std::cos(angle));
            waves.set((2 * f + 1) * length + c, -weight * std::sin(angle));
        }
    const ValueId y = n.b.add(op::conv, {n.b.reshape(signal, {d[0], 1, d[1]}), n.b.constant(std::move(waves))},
                              {attr::strides(Dims{step})});
    return n.b.reshape(n.b.transpose(y, {0, 2, 1}), {d[0], frames, frequencies, 2});
}

/// Result: [batch, frames, frequencies, 2]. Operands: signal [batch, length, 1 or 2], step, window, length of a frame.
void short_time_fourier(Import& n) {
    // PyTorch's exporter omits the last axis, which onnxruntime accepts too
    if (n.rank() != 3 && n.rank() != 2) n.wrong("operand 0 has rank {}; it needs 2 or 3", n.rank());
    const Dims d{n.dims()[0], n.dims()[1], n.rank() == 3 ? n.dims()[2] : 1};
    const ValueId signal = n.b.reshape(n.x(0), d);
    const std::int64_t step = n.integer(1), length = n.has(3) ? n.integer(3) : n.has(2) ? count(n.dims(2)) : d[1];
    check_length(n, length);
    if (step < 1 || length > d[1]) n.wrong("frames of {} with a step of {} of a signal of {}", length, step, d[1]);
    const std::int64_t frames = 1 + (d[1] - length) / step;
    n.check_positions(count({frames, length}));
    const bool onesided = n.i("onesided", 1) != 0;
    const std::int64_t frequencies = onesided ? length / 2 + 1 : length;
    if (n.has(2) && n.dims(2) != Dims{length})
        n.wrong("a window {} for frames of {}", to_string(n.b.type(n.x(2))), length);
    if (const auto y = convolved(n, signal, step, length, frequencies)) return n.add_output(*y);
    std::vector<std::int64_t> places;
    for (std::int64_t k = 0; k < frames * length; ++k) places.push_back(k / length * step + k % length);
    ValueId cut = n.b.reshape(n.gather(signal, 1, places), {d[0], frames, length, d[2]});
    if (n.has(2)) cut = n.binary(op::multiply, cut, n.b.reshape(n.x(2), {length, 1}));
    n.add_output(transformed(n, parts(n, cut), 2, length, frequencies, false));
}

/// com.microsoft: transform of the last axis, not normalized; real and imaginary parts become a new last axis.
void rfft(Import& n) {
    if (n.i("signal_ndim", 1) != 1) n.unsupported("a transform along {} axes", n.i("signal_ndim", 1));
    const std::int64_t length = n.dims().empty() ? 0 : n.dims().back();
    check_length(n, length);
    n.add_output(transformed(n, {n.x(0), {}}, n.rank() - 1, length, length / 2 + 1, false));
}
void irfft(Import& n) {
    if (n.i("signal_ndim", 1) != 1) n.unsupported("a transform along {} axes", n.i("signal_ndim", 1));
    n.need_rank(2);
    const std::int64_t length = 2 * (n.dims()[n.dims().size() - 2] - 1);
    check_length(n, length);
    n.add_output(real_signal(n, parts(n, n.x(0)), n.rank() - 2, length));
}

/// a0 - a1 cos(2 pi k / size) + a2 cos(4 pi k / size); windows that are not periodic use size - 1.
void window(Import& n, double a0, double a1, double a2) {
    const std::int64_t size = n.integer(0);
    const auto type = n.dtype("output_datatype", 1);
    if (!type) n.unsupported("a window of a type that is not numeric");
    n.check_positions(size);
    const auto of = static_cast<double>(n.i("periodic", 1) != 0 ? size : size - 1);
    Literal out(*type, {size});
    for (std::int64_t k = 0; k < size; ++k) {
        const double angle = of > 0 ? 2 * std::numbers::pi * static_cast<double>(k) / of : 0;
        out.set(k, a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
    }
    n.add_output(n.b.constant(std::move(out)));
}
void hann(Import& n) { window(n, 0.5, 0.5, 0); }
void hamming(Import& n) { window(n, 25.0 / 46, 21.0 / 46, 0); }
void blackman(Import& n) { window(n, 0.42, 0.5, 0.08); }

/// Triangular filters over frequencies, equally wide on the mel scale.
void mel_weights(Import& n) {
    const std::int64_t bins = n.integer(0), length = n.integer(1);
    const double rate = n.scalar(2), low = n.scalar(3), high = n.scalar(4);
    const auto type = n.dtype("output_datatype", 1);
    if (!type) n.unsupported("a table of a type that is not numeric");
    if (bins < 1 || length < 1 || !(rate > 0)) n.wrong("{} bins of {} frequencies at a rate of {}", bins, length, rate);
    n.check_positions(count({bins, length}));
    const std::int64_t rows = length / 2 + 1;
    const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double step = (mel(high) - mel(low)) / static_cast<double>(bins + 2);
    const auto edge = [&](std::int64_t k) {
        const double hertz = 700 * (std::pow(10, (mel(low) + static_cast<double>(k) * step) / 2595) - 1);
        return to_integer(std::floor(static_cast<double>(length + 1) * hertz / rate));
    };
    Literal out(*type, {rows, bins});
    for (std::int64_t bin = 0; bin < bins; ++bin) {
        const std::int64_t left = edge(bin), middle = edge(bin + 1), right = edge(bin + 2);
        if (left < 0 || right > rows) n.wrong("bin {} reaches from frequency {} to {} of {}", bin, left, right, rows);
        for (std::int64_t f = left; f < right; ++f)
            out.set(f * bins + bin, f <= middle && middle > left
                                        ? static_cast<double>(f - left) / static_cast<double>(middle - left)
                                        : static_cast<double>(right - f) / static_cast<double>(right - middle));
        if (middle < rows) out.set(middle * bins + bin, 1);
    }
    n.add_output(n.b.constant(std::move(out)));
}

}  // namespace

const ImportRules& signal_rules() {
    static const ImportRules rules{
        {"DFT", discrete_fourier},  {"STFT", short_time_fourier}, {"HannWindow", hann},
        {"HammingWindow", hamming}, {"BlackmanWindow", blackman}, {"MelWeightMatrix", mel_weights},
    };
    return rules;
}

const ImportRules& contrib_signal_rules() {
    static const ImportRules rules{{"Rfft", rfft}, {"Irfft", irfft}};
    return rules;
}

}  // namespace ttsim::impl::ir
