// ttsim ops: prints the op registry as a table, as docs/ops.md, or as JSON.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/report/table.hpp"
#include "kernels/ops/op_def.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

std::string_view class_name(OpClass c) {
    switch (c) {
        case OpClass::Move:
            return "move";
        case OpClass::Binary:
            return "binary";
        case OpClass::Sfpu:
            return "sfpu";
        case OpClass::SfpuBinary:
            return "sfpu binary";
        case OpClass::Matmul:
            return "matmul";
        case OpClass::SparseMatmul:
            return "sparse matmul";
        case OpClass::Depthwise:
            return "depthwise";
        case OpClass::Reduce:
            return "reduce";
        case OpClass::Fused:
            return "fused";
        case OpClass::Ethernet:
            return "ethernet";
    }
    return "";
}

std::string_view kind_name(AttrKind kind) {
    switch (kind) {
        case AttrKind::Bool:
            return "boolean";
        case AttrKind::Integer:
            return "integer";
        case AttrKind::Number:
            return "number";
        case AttrKind::Word:
            return "word";
        case AttrKind::List:
            return "list";
        case AttrKind::Map:
            return "map";
    }
    return "";
}

std::string inputs_text(const OpDef& op) {
    return op.min_inputs == op.max_inputs ? fmt::format("{}", op.min_inputs)
                                          : fmt::format("{} to {}", op.min_inputs, op.max_inputs);
}

/// The values an attribute accepts: "integer 0..64", "min|max".
std::string values_text(const AttrDef& attr) {
    if (attr.kind == AttrKind::Word) return std::string(attr.words);
    if (attr.kind != AttrKind::Integer && attr.kind != AttrKind::Number) return std::string(kind_name(attr.kind));
    if (attr.high == AttrDef{}.high) return fmt::format("{} from {}", kind_name(attr.kind), attr.low);
    return fmt::format("{} {}..{}", kind_name(attr.kind), attr.low, attr.high);
}

std::vector<std::string> traits(const OpDef& op) {
    std::vector<std::string> list;
    if (op.integer_capable) list.push_back("integer formats");
    if (op.fusable) list.push_back("may be part of a fused op");
    if (op.gradient_on_all_chips) list.push_back("gradient_op");
    if (op.gradient_if_any_op && !op.gradient_on_all_chips) list.push_back("gradient_op (chips with gradient_any_op)");
    if (op.sfpu) list.push_back("SFPU");
    if (op.bit_true) list.push_back("`--math exact`");
    return list;
}

std::string as_table() {
    std::string text = fmt::format("{:<20} {:<14} {:>7}\n", "op", "class", "inputs");
    for (const OpDef* op : all_ops())
        text +=
            fmt::format("{:<20} {:<14} {:>7}  {}\n", op->name, class_name(op->op_class), inputs_text(*op), op->summary);
    return text;
}

/// A cell of a Markdown table.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string attribute_table(std::span<const AttrDef> attributes) {
    std::string text = "| attribute | value | default | meaning |\n|---|---|---|---|\n";
    for (const AttrDef& attr : attributes)
        text += fmt::format("| `{}` | {} | {} | {} |\n", attr.name, cell(values_text(attr)),
                            attr.default_text.empty() ? "" : fmt::format("`{}`", cell(attr.default_text)),
                            cell(attr.meaning));
    return text;
}

std::string as_markdown() {
    std::string text =
        "# Op types\n\n"
        "Written by `ttsim ops --markdown` from the op registry (`kernels/ops/op_table.cpp`); do not edit.\n"
        "Shapes, operands and values of each op are in [netlist.md](netlist.md).\n\n"
        "| op | class | inputs | what it does |\n|---|---|---|---|\n";
    for (const OpDef* op : all_ops())
        text += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3} |\n", op->name, class_name(op->op_class),
                            inputs_text(*op), cell(op->summary));
    text += "\n## Attributes of every op\n\n" + attribute_table(common_attributes());
    for (const OpDef* op : all_ops()) {
        text += fmt::format("\n## {}\n\n{}\n\nInputs: {}.", op->name, op->summary, inputs_text(*op));
        if (const auto list = traits(*op); !list.empty()) text += fmt::format(" Takes: {}.", fmt::join(list, ", "));
        text += "\n";
        if (!op->attributes.empty()) text += "\n" + attribute_table(op->attributes);
    }
    return text;
}

nlohmann::ordered_json attributes_json(std::span<const AttrDef> attributes) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const AttrDef& attr : attributes) {
        nlohmann::ordered_json item{{"name", attr.name}, {"kind", kind_name(attr.kind)}};
        if (!attr.default_text.empty()) item["default"] = attr.default_text;
        if (!attr.words.empty()) item["words"] = attr.words;
        if (attr.kind == AttrKind::Integer || attr.kind == AttrKind::Number) {
            item["low"] = attr.low;
            item["high"] = attr.high;
        }
        item["meaning"] = attr.meaning;
        list.push_back(std::move(item));
    }
    return list;
}

std::string as_json() {
    nlohmann::ordered_json ops = nlohmann::ordered_json::array();
    for (const OpDef* op : all_ops())
        ops.push_back({{"name", op->name},
                       {"class", class_name(op->op_class)},
                       {"summary", op->summary},
                       {"min_inputs", op->min_inputs},
                       {"max_inputs", op->max_inputs},
                       {"traits", traits(*op)},
                       {"attributes", attributes_json(op->attributes)}});
    const nlohmann::ordered_json all{{"common_attributes", attributes_json(common_attributes())},
                                     {"ops", std::move(ops)}};
    return all.dump(2) + "\n";
}

}  // namespace

void add_ops(CLI::App& app) {
    struct Flags {
        bool markdown = false, json = false;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand("ops", "List the op types with their attributes");
    auto* markdown = command->add_flag("--markdown", flags->markdown, "Print the page docs/ops.md");
    command->add_flag("--json", flags->json, "Print JSON")->excludes(markdown);
    command->footer("Examples:\n  ttsim ops\n  ttsim ops --markdown > docs/ops.md");
    command->callback([flags] {
        print_text(flags->markdown ? as_markdown()
                   : flags->json   ? as_json()
                                   : report::cut_lines(as_table(), report_width()));
    });
}

}  // namespace ttsim::impl::cli
