#include "tests/fuzz/random_model.hpp"

#include <onnx/messages.pb.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::fuzz {

namespace {

using Proto = onnx::TensorProto;

/// Decisions, one byte each; 0 after the last one.
class Bytes {
public:
    explicit Bytes(const std::string& bytes) : bytes_(bytes) {}
    std::size_t next() { return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0; }
    std::size_t below(std::size_t n) { return next() % n; }
    bool done() const { return at_ >= bytes_.size(); }
    template <class Range>
    const auto& one_of(const Range& range) {
        return range[below(std::size(range))];
    }

    /// Mostly -4 to 11; sometimes at the limits of the type.
    std::int64_t integer() {
        using Limits = std::numeric_limits<std::int64_t>;
        static constexpr std::array<std::int64_t, 16> edges{Limits::min(),
                                                            Limits::min() + 1,
                                                            Limits::max(),
                                                            Limits::max() - 1,
                                                            std::int64_t{1} << 31,
                                                            std::int64_t{1} << 32,
                                                            std::int64_t{1} << 33,
                                                            std::int64_t{1} << 40,
                                                            std::int64_t{1} << 62,
                                                            -(std::int64_t{1} << 31),
                                                            -(std::int64_t{1} << 33),
                                                            1000000007,
                                                            32,
                                                            33,
                                                            64,
                                                            -32};
        const std::size_t n = next();
        return n < 240 ? static_cast<std::int64_t>(n % 16) - 4 : edges[n - 240];
    }
    float real() {
        static constexpr std::array<float, 16> edges{0.0F,   -0.0F, INFINITY, -INFINITY, NAN,   1e38F, -1e38F, 1e-38F,
                                                     1e-45F, 1e20F, -1e20F,   0.5F,      0.25F, 1.5F,  2.5F,   1e10F};
        const std::size_t n = next();
        return n < 240 ? static_cast<float>(n % 16) - 4 : edges[n - 240];
    }
    std::int64_t dimension() {
        static constexpr std::array<std::int64_t, 16> small{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 5, 6, 8, 0, 32, 7};
        const std::size_t n = next();
        return n < 250 ? small[n % 16] : integer();
    }

private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

/// Those of other domains as DOMAIN.NAME.
const std::vector<std::string>& ops() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all{"If"};
        for (std::string& name : ir::ops_with_rules()) all.push_back(std::move(name));
        return all;
    }();
    return names;
}

struct AttributeKind {
    const char* name;
    char kind;  // i, I (list), f, F (list), s, t
};
constexpr AttributeKind attributes[] = {
    {"axis", 'i'},
    {"axes", 'I'},
    {"perm", 'I'},
    {"keepdims", 'i'},
    {"kernel_shape", 'I'},
    {"strides", 'I'},
    {"pads", 'I'},
    {"dilations", 'I'},
    {"group", 'i'},
    {"auto_pad", 's'},
    {"ceil_mode", 'i'},
    {"count_include_pad", 'i'},
    {"output_shape", 'I'},
    {"output_padding", 'I'},
    {"alpha", 'f'},
    {"beta", 'f'},
    {"gamma", 'f'},
    {"blocksize", 'i'},
    {"mode", 's'},
    {"split", 'I'},
    {"starts", 'I'},
    {"ends", 'I'},
    {"value", 't'},
    {"value_int", 'i'},
    {"value_ints", 'I'},
    {"value_float", 'f'},
    {"value_floats", 'F'},
    {"value", 'f'},
    {"to", 'i'},
    {"dtype", 'i'},
    {"k", 'i'},
    {"upper", 'i'},
    {"start", 'i'},
    {"end", 'i'},
    {"batch_dims", 'i'},
    {"reduction", 's'},
    {"allowzero", 'i'},
    {"epsilon", 'f'},
    {"momentum", 'f'},
    {"training_mode", 'i'},
    {"transA", 'i'},
    {"transB", 'i'},
    {"fmod", 'i'},
    {"noop_with_empty_axes", 'i'},
    {"exclusive", 'i'},
    {"select_last_index", 'i'},
    {"reverse", 'i'},
    {"equation", 's'},
    {"size", 'i'},
    {"bias", 'f'},
    {"lambd", 'f'},
    {"min", 'f'},
    {"max", 'f'},
    {"coordinate_transformation_mode", 's'},
    {"nearest_mode", 's'},
    {"cubic_coeff_a", 'f'},
    {"scales", 'F'},
    {"extrapolation_value", 'f'},
    {"storage_order", 'i'},
    {"exclude_outside", 'i'},
};

constexpr const char* words[] = {"SAME_UPPER",
                                 "SAME_LOWER",
                                 "VALID",
                                 "NOTSET",
                                 "constant",
                                 "reflect",
                                 "edge",
                                 "DCR",
                                 "CRD",
                                 "nearest",
                                 "linear",
                                 "cubic",
                                 "none",
                                 "add",
                                 "half_pixel",
                                 "asymmetric",
                                 "floor",
                                 "align_corners",
                                 "ceil",
                                 "pytorch_half_pixel",
                                 "",
                                 "tf_crop_and_resize",
                                 "ij,jk->ik",
                                 "tf_half_pixel_for_nn",
                                 "ii->i",
                                 "round_prefer_ceil",
                                 "...ij,...jk",
                                 "bij,bjk->bik",
                                 "i,j->ij",
                                 "ij->",
                                 "a,a,b->b",
                                 "...i->..."};

class Maker {
public:
    explicit Maker(const std::string& bytes) : from_(bytes) {}

    onnx::ModelProto make() {
        onnx::ModelProto model;
        model.set_ir_version(8);
        model.add_opset_import()->set_version(static_cast<std::int64_t>(7 + from_.below(11)));
        onnx::GraphProto& graph = *model.mutable_graph();
        for (std::size_t n = from_.below(3); n > 0; --n) add_input(graph);
        add_body(graph, 0);
        return model;
    }

private:
    std::string fresh() {
        names_.push_back("v" + std::to_string(names_.size()));
        return names_.back();
    }

    int type() {
        static constexpr std::array<int, 16> types{Proto::FLOAT,    Proto::INT64,   Proto::FLOAT, Proto::INT64,
                                                   Proto::BOOL,     Proto::INT32,   Proto::UINT8, Proto::INT8,
                                                   Proto::FLOAT,    Proto::FLOAT16, Proto::INT64, Proto::DOUBLE,
                                                   Proto::BFLOAT16, Proto::UINT32,  Proto::INT16, Proto::STRING};
        return from_.one_of(types);
    }

    std::vector<std::int64_t> dims() {
        const std::size_t n = from_.next();
        if (n % 4 == 3 && !shapes_.empty()) return from_.one_of(shapes_);
        std::vector<std::int64_t> dims(n / 4 % 6);
        for (std::int64_t& d : dims) d = from_.dimension();
        shapes_.push_back(dims);
        return dims;
    }

    void add_input(onnx::GraphProto& graph) {
        onnx::ValueInfoProto& input = *graph.add_input();
        input.set_name(fresh());
        auto& tensor = *input.mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(type());
        for (const std::int64_t d : dims()) tensor.mutable_shape()->add_dim()->set_dim_value(d);
    }

    /// Mostly with as many values as its shape needs.
    void fill(Proto& tensor) {
        const std::size_t form = from_.below(16);
        tensor.set_data_type(form < 5   ? static_cast<int>(Proto::INT64)
                             : form < 8 ? static_cast<int>(Proto::FLOAT)
                                        : type());
        std::vector<std::int64_t> dims{static_cast<std::int64_t>(from_.below(6))};
        if (form >= 4) dims = this->dims();
        std::int64_t elements = 1;
        for (const std::int64_t d : dims) {
            tensor.add_dims(d);
            constexpr std::int64_t most = 512;
            elements = d < 0 || d > most ? most + 1 : std::min(elements * d, most + 1);
        }
        if (elements > 512 || form == 15) elements = static_cast<std::int64_t>(from_.below(4));
        if (form == 14) {
            tensor.set_raw_data(std::string(static_cast<std::size_t>(elements) * 4, '\x3f'));
        } else if (form == 13) {
            tensor.set_data_location(Proto::EXTERNAL);
            auto& entry = *tensor.add_external_data();
            entry.set_key("location");
            entry.set_value(from_.one_of(words));
        } else {
            values(tensor, elements);
        }
    }

    void values(Proto& tensor, std::int64_t elements) {
        const bool same = from_.below(4) == 3;
        std::int64_t whole = from_.integer();
        float real = from_.real();
        for (std::int64_t k = 0; k < elements; ++k) {
            if (!same && k < 32) whole = from_.integer();
            switch (tensor.data_type()) {
                case Proto::FLOAT:
                    if (!same && k < 32) real = from_.real();
                    tensor.add_float_data(real);
                    break;
                case Proto::DOUBLE:
                    tensor.add_double_data(static_cast<double>(whole) * static_cast<double>(real));
                    break;
                case Proto::INT64:
                    tensor.add_int64_data(whole);
                    break;
                case Proto::UINT32:
                case Proto::UINT64:
                    tensor.add_uint64_data(static_cast<std::uint64_t>(whole));
                    break;
                default:
                    tensor.add_int32_data(static_cast<std::int32_t>(whole));
            }
        }
    }

    void add_initializer(onnx::GraphProto& graph) {
        Proto& tensor = *graph.add_initializer();
        tensor.set_name(fresh());
        fill(tensor);
    }

    void add_attribute(onnx::NodeProto& node, int depth) {
        onnx::AttributeProto& a = *node.add_attribute();
        const AttributeKind& chosen = from_.one_of(attributes);
        a.set_name(chosen.name);
        switch (chosen.kind) {
            case 'i':
                a.set_type(onnx::AttributeProto::INT);
                a.set_i(from_.integer());
                break;
            case 'I':
                a.set_type(onnx::AttributeProto::INTS);
                for (std::size_t n = from_.below(9); n > 0; --n) a.add_ints(from_.integer());
                break;
            case 'f':
                a.set_type(onnx::AttributeProto::FLOAT);
                a.set_f(from_.real());
                break;
            case 'F':
                a.set_type(onnx::AttributeProto::FLOATS);
                for (std::size_t n = from_.below(5); n > 0; --n) a.add_floats(from_.real());
                break;
            case 's':
                a.set_type(onnx::AttributeProto::STRING);
                a.set_s(from_.one_of(words));
                break;
            default:
                a.set_type(onnx::AttributeProto::TENSOR);
                fill(*a.mutable_t());
        }
        static_cast<void>(depth);
    }

    void add_branch(onnx::NodeProto& node, const char* name, int depth) {
        onnx::AttributeProto& a = *node.add_attribute();
        a.set_name(name);
        a.set_type(onnx::AttributeProto::GRAPH);
        add_body(*a.mutable_g(), depth + 1);
    }

    void add_node(onnx::GraphProto& graph, int depth) {
        onnx::NodeProto node;
        const std::string& op = ops()[(from_.next() * 256 + from_.next()) % ops().size()];
        const std::size_t dot = op.rfind('.');
        node.set_op_type(dot == std::string::npos ? op : op.substr(dot + 1));
        if (dot != std::string::npos) node.set_domain(op.substr(0, dot));
        for (std::size_t n = from_.below(7) % 5; n > 0; --n) {
            const std::size_t choice = from_.next();
            if (choice < 96 && static_cast<std::size_t>(choice) < 32 + names_.size())
                node.add_input(choice < 32 ? names_.empty() ? "" : names_.back()
                                           : names_[names_.size() - 1 - (choice - 32) % names_.size()]);
            else if (choice < 224) {
                add_initializer(graph);
                node.add_input(names_.back());
            } else
                node.add_input(choice < 250 ? "" : "nobody");
        }
        for (std::size_t n = from_.below(5); n > 0; --n) add_attribute(node, depth);
        constexpr int deepest = 3;
        if (node.op_type() == "If" && depth < deepest) {
            add_branch(node, "then_branch", depth);
            add_branch(node, "else_branch", depth);
        }
        for (std::size_t n = 1 + from_.below(8) / 6; n > 0; --n) node.add_output(fresh());
        *graph.add_node() = node;
    }

    void add_body(onnx::GraphProto& graph, int depth) {
        constexpr std::size_t most = 6;
        for (std::size_t n = 1 + from_.below(depth > 0 ? 2 : most); n > 0 && (!from_.done() || graph.node().empty());
             --n)
            add_node(graph, depth);
        for (const auto& out : graph.node(graph.node_size() - 1).output()) graph.add_output()->set_name(out);
    }

    Bytes from_;
    std::vector<std::string> names_;
    std::vector<std::vector<std::int64_t>> shapes_;
};

}  // namespace

std::string random_model(const std::string& bytes) { return Maker(bytes).make().SerializeAsString(); }

}  // namespace ttsim::impl::fuzz
