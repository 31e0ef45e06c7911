#include "compiler/backend/fused.hpp"

#include <algorithm>
#include <sstream>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::ir {

namespace {

using Kind = FusedOperand::Kind;

constexpr FusedOperand dest{Kind::Dest, 0}, intermediate{Kind::Intermed, 0}, before{Kind::Output, 0};

std::vector<std::string> words_of(const std::string& text, char separator) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, separator);) {
        word.erase(0, word.find_first_not_of(' '));
        if (!word.empty()) words.push_back(word);
    }
    return words;
}

FusedOperand operand_of(const std::string& word, const OpConfig& op) {
    if (word == "d") return before;  // the previous result; its location is set later
    const std::string digits = word.starts_with("in") ? word.substr(2) : "";
    if (digits.empty() || digits.size() > 2 ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
        fail_input(op.loc, "'{}': '{}' is not an operand of a program; operands are inN and d", op.name, word);
    return {Kind::Input, std::stoi(digits)};
}

FusedSubOp sub_op(const std::string& text, const OpConfig& op, std::size_t number) {
    const auto words = words_of(text, ' ');
    const OpDef* def = words.empty() ? nullptr : ttsim::impl::find_op(words.front());
    if (!def || !def->fusable || static_cast<int>(words.size()) - 1 != def->min_inputs)
        fail_input(op.loc, "'{}': '{}' is not a step of a program", op.name, text);
    FusedSubOp sub;
    sub.name = op.name + "_" + words.front() + "_" + std::to_string(number);
    sub.type = words.front();
    sub.loc = op.loc;
    for (std::size_t k = 1; k < words.size(); ++k) sub.inputs.push_back(operand_of(words[k], op));
    sub.input_tms.resize(sub.inputs.size());
    sub.mblock_m = op.out.mblock_m;
    sub.mblock_n = op.out.mblock_n;
    sub.ublock_rt = op.out.ublock_rt;
    sub.ublock_ct = op.out.ublock_ct;
    return sub;
}

/// Whether the sub-op can read Dst: as its first operand, or as any if the chip allows it. Swaps the operands of sums
/// and products if needed.
bool takes_dest(FusedSubOp& sub, bool any_operand) {
    if (sub.inputs[0] == before || any_operand) return true;
    if (sub.type != "add" && sub.type != "multiply") return false;
    std::swap(sub.inputs[0], sub.inputs[1]);
    return true;
}

}  // namespace

std::shared_ptr<FusedDefinition> make_fused(const std::string& program, const OpConfig& op, bool any_operand) {
    auto made = std::make_shared<FusedDefinition>();
    made->loc = op.loc;
    made->inputs = static_cast<std::int64_t>(op.in.size());
    std::vector<FusedSubOp> subs;
    for (const std::string& step : words_of(program, ';')) subs.push_back(sub_op(step, op, subs.size()));
    if (subs.empty()) fail_input(op.loc, "'{}': its program is empty", op.name);
    for (std::size_t k = 0; k < subs.size(); ++k) {
        if (k + 1 == subs.size()) {
            subs[k].output = {Kind::Output, 0};
            break;
        }
        const bool direct = takes_dest(subs[k + 1], any_operand);
        subs[k].output = direct ? dest : intermediate;
        if (!direct) {
            made->intermediates = 1;
            subs[k + 1].pop = {intermediate};
        }
        std::replace(subs[k + 1].inputs.begin(), subs[k + 1].inputs.end(), before, subs[k].output);
    }
    made->schedules = {std::move(subs)};
    return made;
}

}  // namespace ttsim::impl::ir
