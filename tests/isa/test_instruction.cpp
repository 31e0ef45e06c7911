#include <catch2/catch.hpp>
#include <random>

#include "base/error.hpp"
#include "isa/instruction.hpp"

using namespace ttsim::impl;

TEST_CASE("an instruction's fields land in the documented bits") {
    const InstructionSet& wh = instruction_set("wormhole_b0");
    CHECK(wh.encode("MVMUL", {{"dst", 8}, {"addr_mode", 1}}) == 0x26008008U);
    CHECK(wh.encode("SETRWC", {{"clear_ab_vld", 3}}) == 0x37C00000U);
    CHECK(wh.encode("SFPMAD", {{"lreg_src_a", 1}, {"lreg_src_b", 2}, {"lreg_src_c", 3}, {"lreg_dest", 4}}) ==
          0x84012340U);
    const InstructionSet& gs = instruction_set("grayskull");
    CHECK(gs.encode("STALLWAIT", {{"stall_res", 1}}) == 0xA2004000U);  // bit 14 on Grayskull
    CHECK(wh.encode("STALLWAIT", {{"stall_res", 1}}) == 0xA2008000U);  // bit 15 on Wormhole
}

TEST_CASE("the tables have the documented sizes, units and times") {
    const InstructionSet& gs = instruction_set("grayskull");
    const InstructionSet& wh = instruction_set("wormhole_b0");
    CHECK(gs.all().size() == 105);
    CHECK(wh.all().size() == 128);
    CHECK(gs.find("SFPSWAP") == nullptr);
    REQUIRE(wh.find("MVMUL") != nullptr);
    CHECK(wh.find("MVMUL")->opcode == 0x26);
    CHECK(wh.find("MVMUL")->unit == TensixUnit::Math);
    CHECK(wh.find("MVMUL")->latency == 5);
    CHECK(wh.find("SHIFTXB")->issue == 2);
    CHECK(wh.find("SFPMAD")->latency == 2);
    CHECK(wh.find("UNPACR")->issue == 2);
    CHECK(gs.find("MVMUL")->assumed);
    // every mnemonic of the older chip is known to the newer one, with the same opcode
    for (const InstructionDef& def : gs.all()) {
        REQUIRE(wh.find(def.mnemonic) != nullptr);
        CHECK(wh.find(def.mnemonic)->opcode == def.opcode);
    }
}

TEST_CASE("any word survives decode and encode, and disassembly and assembly") {
    std::mt19937 random(1);
    for (const char* name : {"grayskull", "wormhole_b0"}) {
        const InstructionSet& set = instruction_set(name);
        for (int i = 0; i < 20000; ++i) {
            auto word = static_cast<std::uint32_t>(random());
            if (i % 2) word = (word & 0xFFFFFFU) | std::uint32_t{set.all()[random() % set.all().size()].opcode} << 24;
            const auto decoded = set.decode(word);
            if (decoded) CHECK(set.encode(*decoded) == word);
            CHECK(set.assemble(set.disassemble(word)) == word);
        }
    }
}

TEST_CASE("disassembly names fields that are set and bits outside every field") {
    const InstructionSet& wh = instruction_set("wormhole_b0");
    CHECK(wh.disassemble(0x26008008U) == "MVMUL dst=8 addr_mode=1");
    CHECK(wh.disassemble(0x02000000U) == "NOP");
    CHECK(wh.disassemble(0x02000005U) == "NOP bits=0x5");
    CHECK(wh.disassemble(0xFF000001U) == ".word 0xFF000001");
}

TEST_CASE("wrong instructions are refused with the correct form") {
    const InstructionSet& wh = instruction_set("wormhole_b0");
    CHECK_THROWS_WITH(wh.encode("MVMULL"), Catch::Contains("no instruction 'MVMULL'"));
    CHECK_THROWS_WITH(wh.encode("MVMUL", {{"dest", 1}}), Catch::Contains("did you mean 'dst'"));
    CHECK_THROWS_WITH(wh.encode("MVMUL", {{"dst", 1024}}), Catch::Contains("10 bits"));
    CHECK_THROWS_AS(wh.assemble("MVMUL dst"), Error);
    CHECK_THROWS_AS(wh.assemble("NOP bits=0x1000000"), Error);
    CHECK_THROWS_AS(wh.assemble(""), Error);
    CHECK_THROWS_AS(instruction_set("redhole"), Error);
}
