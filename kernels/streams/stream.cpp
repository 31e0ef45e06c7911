#include "kernels/streams/stream.hpp"

#include "isa/arch.hpp"
#include "kernels/copy_ops.hpp"
#include "kernels/streams/emitter.hpp"

namespace ttsim::impl {

std::string_view to_string(KernelThread thread) {
    switch (thread) {
        case KernelThread::Unpack:
            return "unpack";
        case KernelThread::Math:
            return "math";
        case KernelThread::Pack:
            return "pack";
    }
    return "";
}

KernelFamily family_of(const KernelShape& shape) {
    const std::string& op = shape.op;
    if (op == "matmul") return KernelFamily::Matmul;
    if (op == "matmul_sparse") return KernelFamily::Sparse;
    if (op == "depthwise") return KernelFamily::Depthwise;
    if (op == "splice") return KernelFamily::Splice;
    if (op == "reduce") return shape.reduce_dim == ReduceDim::Z ? KernelFamily::ReduceZ : KernelFamily::ReduceTile;
    if (op == "maximum" || op == "quantization" || op == "dequantization" || op == "requantization")
        return KernelFamily::SfpuBinary;
    // Sums of 32-bit integers run on the SFPU, since FPU inputs are 19 bits wide.
    if (op == "add" || op == "subtract")
        return shape.in0 == DataFormat::Int32 ? KernelFamily::SfpuBinary : KernelFamily::Binary;
    if (op == "multiply") return KernelFamily::Binary;
    if (is_core_copy(op)) return KernelFamily::Copy;
    return KernelFamily::Unary;
}

std::int64_t KernelStreams::instructions(KernelThread t) const {
    std::int64_t count = 0;
    for (const StreamItem& item : of(t))
        if (item.risc == 0) count += item.repeat;
    return count;
}

void KernelStreams::append(const KernelStreams& next) {
    for (std::size_t t = 0; t < thread_count; ++t)
        threads[t].insert(threads[t].end(), next.threads[t].begin(), next.threads[t].end());
    counted += next.counted;
}

static constexpr int face_elements = 16 * 16;

StreamContext stream_context(const std::string& chip_name, const KernelConstants& constants) {
    const ChipFeatures& features = chip(chip_name).features;
    return {instruction_set(chip_name), constants, features.fpu_rows, face_elements / features.sfpu_lanes};
}

StreamContext stream_context(const std::string& chip_name) {
    return stream_context(chip_name, kernel_constants(chip_name));
}

KernelStreams build_streams(const KernelShape& shape, MicroBlock block, const StreamContext& context) {
    streams::Emitter e(shape, context);
    e.configure_sub_op();
    switch (family_of(shape)) {
        case KernelFamily::Copy:
        case KernelFamily::Unary:
        case KernelFamily::Splice:
            streams::build_unary(e);
            break;
        case KernelFamily::Binary:
        case KernelFamily::SfpuBinary:
            streams::build_binary(e);
            break;
        case KernelFamily::ReduceTile:
        case KernelFamily::ReduceZ:
            streams::build_reduce(e);
            break;
        case KernelFamily::Matmul:
            streams::build_matmul(e, block.position);
            break;
        case KernelFamily::Depthwise:
            streams::build_depthwise(e);
            break;
        case KernelFamily::Sparse:
            streams::build_sparse(e, block);
            break;
    }
    return e.release();
}

std::string disassemble(const KernelStreams& streams, const InstructionSet& set) {
    std::string text;
    for (const KernelThread thread : {KernelThread::Unpack, KernelThread::Math, KernelThread::Pack}) {
        text += fmt::format("{} thread, {} instructions:\n", to_string(thread), streams.instructions(thread));
        for (const StreamItem& item : streams.of(thread)) {
            if (item.risc > 0)
                text += fmt::format("            ; RISC-V {:.1f} clk ({})\n", item.risc, item.what);
            else
                text += fmt::format("  {:08X}  {}{}{}\n", item.word, set.disassemble(item.word),
                                    item.repeat > 1 ? fmt::format("  x{}", item.repeat) : "",
                                    item.bytes > 0 ? fmt::format("  ; {:.0f} {}{}", item.bytes,
                                                                 (item.word >> 24) == 0x41 ? "elements" : "B",
                                                                 item.repeat > 1 ? " each" : "")
                                                   : "");
        }
    }
    return text;
}

}  // namespace ttsim::impl
