#include "isa/instruction.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/arch.hpp"
#include "isa/chip_part.hpp"

namespace ttsim::impl {

namespace {

struct UnitName {
    TensixUnit unit;
    std::string_view name;
};
constexpr UnitName unit_names[] = {{TensixUnit::None, "NONE"},     {TensixUnit::Sync, "SYNC"},
                                   {TensixUnit::Math, "MATH"},     {TensixUnit::Sfpu, "SFPU"},
                                   {TensixUnit::Unpack, "UNPACK"}, {TensixUnit::Pack, "PACK"},
                                   {TensixUnit::ThCon, "THCON"},   {TensixUnit::Tdma, "TDMA"},
                                   {TensixUnit::Config, "CFG"},    {TensixUnit::Mover, "XMOV"}};

TensixUnit read_unit(YamlMap& map) {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> names;
        for (const UnitName& u : unit_names) names.emplace_back(u.name);
        return names;
    }();
    const std::string word = map.word("unit", words);
    for (const UnitName& u : unit_names)
        if (u.name == word) return u.unit;
    return TensixUnit::None;
}

constexpr int payload_bits = 24;

InstructionField read_field(YamlMap& fields, const std::string& name) {
    const YamlPtr node = fields.node(name);
    const std::string& file = fields.where().file;
    if (!node->is_sequence() || node->items.size() != 2)
        fail_input(node->loc(file), "field '{}' needs two bit numbers, [high, low]", name);
    InstructionField field;
    field.name = name;
    field.high = static_cast<int>(yaml_integer(*node->items[0], file, name, {0, payload_bits - 1}));
    field.low = static_cast<int>(yaml_integer(*node->items[1], file, name, {0, field.high}));
    return field;
}

InstructionDef read_def(YamlMap& list, const std::string& mnemonic) {
    YamlMap map = list.map(mnemonic);
    InstructionDef def;
    def.mnemonic = mnemonic;
    def.opcode = static_cast<std::uint8_t>(map.integer("opcode", {0, 255}));
    def.unit = read_unit(map);
    def.issue = static_cast<int>(map.integer("issue", {1, 1000}));
    def.latency = static_cast<int>(map.integer("latency", {1, 1000}));
    static const std::vector<std::string> sources{"documented", "assumed"};
    def.assumed = map.word("timing", sources) == sources[1];
    YamlMap fields = map.map("fields");
    std::uint32_t used = 0;
    for (const std::string& name : fields.keys()) {
        def.fields.push_back(read_field(fields, name));
        const InstructionField& f = def.fields.back();
        if (used & (f.mask() << f.low)) fail_input(fields.where(name), "field '{}' overlaps another one", name);
        used |= f.mask() << f.low;
    }
    std::sort(def.fields.begin(), def.fields.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
    map.done();
    return def;
}

std::uint32_t parse_number(std::string_view text, std::string_view what) {
    int base = 10;
    std::string_view digits = text;
    if (digits.starts_with("0x")) {
        digits.remove_prefix(2);
        base = 16;
    }
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (code != std::errc() || end != digits.data() + digits.size() || digits.empty())
        fail_input({}, "{} is '{}'; a 32-bit number is wanted", what, text);
    return value;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = text.find_first_not_of(" \t,", at);
        if (start == std::string_view::npos) break;
        const std::size_t end = std::min(text.find_first_of(" \t,", start), text.size());
        words.push_back(text.substr(start, end - start));
        at = end;
    }
    return words;
}

/// Sets a field of an instruction word.
void set_field(std::uint32_t& word, const InstructionDef& def, std::string_view name, std::uint32_t value) {
    const InstructionField* field = def.field(name);
    if (!field) {
        std::vector<std::string> known;
        for (const InstructionField& f : def.fields) known.push_back(f.name);
        fail_input({}, "{} has no field '{}'{}; it has: {}", def.mnemonic, name, did_you_mean(name, known),
                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
    }
    if (value > field->mask())
        fail_input({}, "{}: {} is {}; the field has {} bits", def.mnemonic, name, value, field->high - field->low + 1);
    word = (word & ~(field->mask() << field->low)) | (value << field->low);
}

std::uint32_t opcode_word(const InstructionDef& def) { return static_cast<std::uint32_t>(def.opcode) << payload_bits; }

}  // namespace

std::string_view to_string(TensixUnit unit) {
    for (const UnitName& u : unit_names)
        if (u.unit == unit) return u.name;
    return "";
}

const InstructionField* InstructionDef::field(std::string_view name) const {
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
    return found == fields.end() ? nullptr : &*found;
}

InstructionSet InstructionSet::from_file(const std::string& file) {
    YamlMap map = read_chip_part(file, ChipPart::Isa);
    InstructionSet set;
    set.arch_ = map.text("arch");
    YamlMap list = map.map("instructions");
    for (const std::string& mnemonic : list.keys()) set.defs_.push_back(read_def(list, mnemonic));
    map.done();
    std::stable_sort(set.defs_.begin(), set.defs_.end(),
                     [](const auto& a, const auto& b) { return a.opcode < b.opcode; });
    set.by_opcode_.fill(-1);
    for (std::size_t i = 0; i < set.defs_.size(); ++i) {
        std::int16_t& slot = set.by_opcode_[set.defs_[i].opcode];
        if (slot >= 0)
            fail_input(list.where(set.defs_[i].mnemonic), "opcode 0x{:02X} belongs to {} already", set.defs_[i].opcode,
                       set.defs_[static_cast<std::size_t>(slot)].mnemonic);
        slot = static_cast<std::int16_t>(i);
    }
    return set;
}

const InstructionDef* InstructionSet::find(std::string_view mnemonic) const {
    const auto found = std::find_if(defs_.begin(), defs_.end(), [&](const auto& d) { return d.mnemonic == mnemonic; });
    return found == defs_.end() ? nullptr : &*found;
}

const InstructionDef* InstructionSet::find(std::uint8_t opcode) const {
    const std::int16_t at = by_opcode_[opcode];
    return at < 0 ? nullptr : &defs_[static_cast<std::size_t>(at)];
}

std::uint32_t InstructionSet::encode(std::string_view mnemonic, std::initializer_list<FieldValue> values) const {
    const InstructionDef* def = find(mnemonic);
    if (!def) fail_input({}, "{} has no instruction '{}'", arch_, mnemonic);
    std::uint32_t word = opcode_word(*def);
    for (const auto& [name, value] : values) set_field(word, *def, name, value);
    return word;
}

std::uint32_t InstructionSet::encode(const DecodedInstruction& instruction) const {
    std::uint32_t word = opcode_word(*instruction.def) | instruction.other_bits;
    for (std::size_t i = 0; i < instruction.def->fields.size(); ++i)
        set_field(word, *instruction.def, instruction.def->fields[i].name, instruction.values.at(i));
    return word;
}

std::optional<DecodedInstruction> InstructionSet::decode(std::uint32_t word) const {
    DecodedInstruction out;
    out.def = find(static_cast<std::uint8_t>(word >> payload_bits));
    if (!out.def) return std::nullopt;
    out.other_bits = word & ((1U << payload_bits) - 1U);
    for (const InstructionField& field : out.def->fields) {
        out.values.push_back((word >> field.low) & field.mask());
        out.other_bits &= ~(field.mask() << field.low);
    }
    return out;
}

std::string InstructionSet::disassemble(std::uint32_t word) const {
    const std::optional<DecodedInstruction> d = decode(word);
    if (!d) return fmt::format(".word 0x{:08X}", word);
    std::string text = d->def->mnemonic;
    for (std::size_t i = 0; i < d->values.size(); ++i)
        if (d->values[i] != 0) text += fmt::format(" {}={}", d->def->fields[i].name, d->values[i]);
    if (d->other_bits != 0) text += fmt::format(" bits=0x{:X}", d->other_bits);
    return text;
}

std::uint32_t InstructionSet::assemble(std::string_view text) const {
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty()) fail_input({}, "an empty line is not an instruction");
    if (words[0] == ".word") {
        if (words.size() != 2) fail_input({}, "'.word' needs one number");
        return parse_number(words[1], ".word");
    }
    const InstructionDef* def = find(words[0]);
    if (!def) fail_input({}, "{} has no instruction '{}'", arch_, words[0]);
    std::uint32_t word = opcode_word(*def);
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        if (equals == std::string_view::npos) fail_input({}, "'{}' is not a field=value", words[i]);
        const std::string_view name = words[i].substr(0, equals);
        const std::uint32_t value = parse_number(words[i].substr(equals + 1), name);
        if (name != "bits") {
            set_field(word, *def, name, value);
            continue;
        }
        if (value >> payload_bits) fail_input({}, "bits=0x{:X} reaches into the opcode", value);
        word |= value;
    }
    return word;
}

const InstructionSet& instruction_set(const std::string& chip_name) {
    static std::mutex mutex;
    static std::map<std::string, InstructionSet> known;  // by file, since chips may share one
    const std::string& file = chip(chip_name).files.isa;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(file); found != known.end()) return found->second;
    return known.emplace(file, InstructionSet::from_file(file)).first->second;
}

}  // namespace ttsim::impl
