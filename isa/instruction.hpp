// The Tensix instruction set of a chip as data: opcode, fields, unit, issue rate and latency, read from
// isa.yaml of the chip's folder. An instruction word is 32 bits: opcode in 31:24, fields in the other 24.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ttsim::impl {

/// The back-end unit that executes an instruction.
enum class TensixUnit : std::uint8_t { None, Sync, Math, Sfpu, Unpack, Pack, ThCon, Tdma, Config, Mover };
std::string_view to_string(TensixUnit unit);

struct InstructionField {
    std::string name;
    int high = 0, low = 0;  ///< bits of the word, both included
    std::uint32_t mask() const { return (high - low >= 31 ? ~0U : (1U << (high - low + 1)) - 1U); }
};

struct InstructionDef {
    std::string mnemonic;
    std::uint8_t opcode = 0;
    TensixUnit unit = TensixUnit::None;
    int issue = 1;                         ///< cycles before the unit can start another one
    int latency = 1;                       ///< cycles until the result may be read
    bool assumed = false;                  ///< no public source for its timing
    std::vector<InstructionField> fields;  ///< from bit 0 up
    const InstructionField* field(std::string_view name) const;
};

struct DecodedInstruction {
    const InstructionDef* def = nullptr;
    std::vector<std::uint32_t> values;  ///< in the order of def->fields
    std::uint32_t other_bits = 0;       ///< set bits of the word that belong to no field
};

using FieldValue = std::pair<std::string_view, std::uint32_t>;

class InstructionSet {
public:
    /// Reads one file; throws Error(Input).
    static InstructionSet from_file(const std::string& file);

    const std::string& arch() const { return arch_; }
    const std::vector<InstructionDef>& all() const { return defs_; }  ///< by opcode
    const InstructionDef* find(std::string_view mnemonic) const;      ///< nullptr when unknown; exact case
    const InstructionDef* find(std::uint8_t opcode) const;

    /// Encodes an instruction word; bits outside the named fields are 0. Throws Error(Input) for an unknown mnemonic or
    /// field, or a value that does not fit.
    std::uint32_t encode(std::string_view mnemonic, std::initializer_list<FieldValue> values = {}) const;
    std::uint32_t encode(const DecodedInstruction& instruction) const;
    std::optional<DecodedInstruction> decode(std::uint32_t word) const;  ///< nullopt for an unknown opcode

    /// Text such as "MVMUL dst=8 addr_mode=1". Fields that are 0 are omitted; bits outside all fields come last as
    /// bits=0x...; an unknown opcode yields ".word 0x...". assemble() is the inverse.
    std::string disassemble(std::uint32_t word) const;
    std::uint32_t assemble(std::string_view text) const;  ///< throws Error(Input)

private:
    std::string arch_;
    std::vector<InstructionDef> defs_;
    std::array<std::int16_t, 256> by_opcode_{};
};

/// The instruction set of a chip, by name or path (isa/arch.hpp). Each file is read once. Throws if there is none.
const InstructionSet& instruction_set(const std::string& chip_name);

}  // namespace ttsim::impl
