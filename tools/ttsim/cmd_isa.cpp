// ttsim isa: lists the instruction set of a chip, and assembles or disassembles instructions.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "isa/instruction.hpp"
#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

std::string fields_text(const InstructionDef& def) {
    std::string text;
    for (const InstructionField& f : def.fields)
        text += fmt::format("{}{}[{}:{}]", text.empty() ? "" : " ", f.name, f.high, f.low);
    return text;
}

std::string as_table(const InstructionSet& set) {
    std::string text = fmt::format("{:<16} {:<6} {:<7} {:>5} {:>7} {:<10}  {}\n", "instruction", "opcode", "unit",
                                   "issue", "latency", "timing", "fields");
    for (const InstructionDef& d : set.all())
        text += fmt::format("{:<16} 0x{:02X}   {:<7} {:>5} {:>7} {:<10}  {}\n", d.mnemonic, d.opcode, to_string(d.unit),
                            d.issue, d.latency, d.assumed ? "assumed" : "documented", fields_text(d));
    return text;
}

std::string as_json(const InstructionSet& set) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const InstructionDef& d : set.all()) {
        nlohmann::ordered_json fields = nlohmann::ordered_json::object();
        for (const InstructionField& f : d.fields) fields[f.name] = {f.high, f.low};
        list.push_back({{"mnemonic", d.mnemonic},
                        {"opcode", d.opcode},
                        {"unit", to_string(d.unit)},
                        {"issue", d.issue},
                        {"latency", d.latency},
                        {"timing", d.assumed ? "assumed" : "documented"},
                        {"fields", fields}});
    }
    return json_document({{"arch", set.arch()}, {"instructions", std::move(list)}});
}

std::uint32_t parse_word(const std::string& text) {
    std::size_t used = 0;
    unsigned long value = 0;
    try {
        value = std::stoul(text, &used, 16);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used != text.size() || text.empty() || value > 0xFFFFFFFFUL || text[0] == '-' || text[0] == '+')
        fail_input({}, "--disasm '{}' is not a 32-bit hexadecimal word", text);
    return static_cast<std::uint32_t>(value);
}

}  // namespace

void add_isa(CLI::App& app) {
    struct Flags {
        std::string arch, assemble;
        std::vector<std::string> words;
        bool json = false;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand("isa", "List, assemble or disassemble a chip's Tensix instructions");
    add_chip_option(*command, flags->arch)->required();
    auto* json = command->add_flag("--json", flags->json, "Print JSON");
    auto* words = command->add_option("--disasm", flags->words, "Disassemble hexadecimal words")
                      ->option_text("WORD ...")
                      ->excludes(json);
    command->add_option("--asm", flags->assemble, "Assemble one instruction")
        ->option_text("TEXT")
        ->excludes(json)
        ->excludes(words);
    command->footer(
        "Examples:\n"
        "  ttsim isa --arch wormhole_b0\n"
        "  ttsim isa --arch grayskull --disasm 26008008\n"
        "  ttsim isa --arch wormhole_b0 --asm 'MVMUL dst=8 addr_mode=1'");
    command->callback([flags] {
        const InstructionSet& set = instruction_set(chosen_chip(flags->arch).file);
        if (!flags->assemble.empty()) return print_text(fmt::format("{:08X}\n", set.assemble(flags->assemble)));
        std::string text;
        for (const std::string& word : flags->words) text += set.disassemble(parse_word(word)) + "\n";
        print_text(!flags->words.empty() ? text : flags->json ? as_json(set) : as_table(set));
    });
}

}  // namespace ttsim::impl::cli
