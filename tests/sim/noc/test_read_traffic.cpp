#include <catch2/catch.hpp>

#include "sim/noc/trace.hpp"
#include "tests/sim/noc/noc_machine.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

/// The message that refuses a file; "" when it is read.
std::string refusal(const std::string& text, int exit_code = 2) {
    try {
        parse_traffic(text, "t.json", wormhole());
    } catch (const Error& e) {
        CHECK(e.exit_code() == exit_code);
        return e.what();
    }
    return "";
}

std::string one_event(const std::string& fields) {
    return "[\n  {\"proc\":\"BRISC\", \"noc\":\"NOC_0\", \"sx\":1, \"sy\":1, \"timestamp\":5,\n   " + fields + "}\n]";
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("Broken JSON is refused at its place") {
    CHECK_THAT(refusal("[\n {\"proc\" \"BRISC\"}]"), Contains("t.json:2:16: error: not valid JSON: syntax error"));
    CHECK_THAT(refusal("[{\"proc\":\"BRISC\""),
               Contains("t.json:1:17: error: not valid JSON: the file ends in the middle"));
    CHECK_THAT(refusal(""), Contains("t.json:1:1: error: not valid JSON: the file ends"));
    CHECK_THAT(refusal("[] x"), Contains("t.json:1:4: error: not valid JSON"));
    CHECK_THAT(refusal(std::string(5000, '[')), Contains("nested more than 64 deep"));
    CHECK_THAT(refusal("17"), Contains("t.json:1:1: error: the file holds an integer"));
}

TEST_CASE("Fields that are missing, of the wrong kind or out of range are named with their place") {
    CHECK_THAT(refusal(one_event(R"("type":"READ","dx":1,"dy":2)")),
               Contains("t.json:2:3: error: 'num_bytes' is missing"));
    CHECK_THAT(
        refusal(one_event(R"("type":"READ","dx":1,"dy":12,"num_bytes":64)")),
        Contains("t.json:3:25: error: 'dx', 'dy' name 1-12, which is off the grid; x must lie in 0..9 and y in 0..11"));
    CHECK_THAT(refusal(one_event(R"("type":"READ","dx":1,"dy":2,"num_bytes":-4)")),
               Contains("'num_bytes' is -4; an integer from 0"));
    CHECK_THAT(refusal(one_event(R"("type":"READ","dx":1.5,"dy":2,"num_bytes":4)")),
               Contains("'dx' is 1.5; an integer"));
    CHECK_THAT(refusal(one_event(R"("type":"REED","dx":1,"dy":2,"num_bytes":4)")),
               Contains("t.json:3:4: error: 'REED' is not an event type; did you mean 'READ'?"));
    CHECK_THAT(refusal(one_event(R"("type":17)")), Contains("'type' is an integer; a text is wanted"));
    CHECK_THAT(refusal(one_event(R"("zone":"K","zone_phase":"middle")")),
               Contains("'zone_phase' is 'middle'; begin, end"));
    CHECK_THAT(refusal(one_event(R"("type":"READ_WITH_STATE")")), Contains("READ_WITH_STATE has no target"));
    CHECK_THAT(refusal("[4]"), Contains("an event is an integer; a map is wanted"));
    CHECK_THAT(refusal("[{}]"), Contains("'proc' is missing"));
    CHECK_THAT(
        refusal(one_event(
            R"("type":"WRITE_MULTICAST","num_bytes":4,"mcast_start_x":0,"mcast_start_y":0,"mcast_end_x":0,"mcast_end_y":4)")),
        Contains("no Tensix tile but the source"));
}

TEST_CASE("All problems of a file are reported at once, up to a limit") {
    std::string many = "[";
    for (int i = 0; i < 50; ++i) many += R"({"proc":"B","sx":1,"sy":1,"timestamp":-1},)";
    many.back() = ']';
    const std::string text = refusal(many);
    CHECK(std::count(text.begin(), text.end(), '\n') + 1 == 20);
}

TEST_CASE("Traffic between chips is refused as unsupported") {
    CHECK_THAT(refusal(one_event(R"("type":"FABRIC_UNICAST_WRITE","num_bytes":4)"), 4),
               Contains("'FABRIC_UNICAST_WRITE' is traffic between chips"));
    CHECK_THAT(
        refusal(one_event(R"("type":"READ","dx":1,"dy":2,"num_bytes":64,"src_device_id":0,"dst_device_id":1)"), 4),
        Contains("'dst_device_id' is 1, 'src_device_id' 0: traffic between chips"));
    CHECK(refusal(one_event(R"("type":"READ","dx":1,"dy":2,"num_bytes":64,"src_device_id":3,"dst_device_id":3)"))
              .empty());
}

TEST_CASE("Every event type is read") {
    for (const char* type : {"READ",
                             "READ_SET_STATE",
                             "READ_SET_TRID",
                             "READ_DRAM_SHARDED_SET_STATE",
                             "READ_BARRIER_START",
                             "READ_BARRIER_END",
                             "READ_BARRIER_WITH_TRID",
                             "WRITE",
                             "WRITE_",
                             "WRITE_WITH_TRID",
                             "WRITE_INLINE",
                             "WRITE_SET_STATE",
                             "WRITE_WITH_TRID_SET_STATE",
                             "WRITE_BARRIER_START",
                             "WRITE_BARRIER_END",
                             "WRITE_BARRIER_WITH_TRID",
                             "WRITE_FLUSH",
                             "FULL_BARRIER",
                             "ATOMIC_BARRIER",
                             "SEMAPHORE_INC",
                             "SEMAPHORE_WAIT",
                             "SEMAPHORE_SET"})
        CHECK(refusal(one_event(fmt::format(R"("type":"{}","dx":1,"dy":2,"num_bytes":64)", type))).empty());
    CHECK(refusal(one_event(R"("zone":"K","zone_phase":"ZONE_START")")).empty());
}

TEST_CASE("Workloads are checked like traces") {
    CHECK_THAT(refusal("{}"), Contains("'phases' is missing; a list of phases is wanted"));
    CHECK_THAT(refusal("{\"phases\":[{}]}"), Contains("a phase has no list 'transfers'"));
    const auto transfer = [](const std::string& fields) {
        return refusal(R"({"phases":[{"transfers":[{"src_x":1,"src_y":1,"noc_type":"NOC_0",)" + fields + "}]}]}");
    };
    CHECK(transfer(R"("packet_size":64,"num_packets":1,"dst_x":1,"dst_y":2)").empty());
    CHECK_THAT(transfer(R"("packet_size":0,"num_packets":1,"dst_x":1,"dst_y":2)"), Contains("'packet_size' is 0"));
    CHECK_THAT(transfer(R"("packet_size":64,"num_packets":-1,"dst_x":1,"dst_y":2)"), Contains("'num_packets' is -1"));
    CHECK_THAT(transfer(R"("packet_size":64,"num_packets":1,"dst_x":10,"dst_y":2)"), Contains("off the grid"));
    CHECK_THAT(transfer(R"("packet_size":64,"num_packets":1)"), Contains("'dst_x' is missing"));
    CHECK_THAT(transfer(R"("packet_size":64,"num_packets":1,"dst_x":1,"dst_y":2,"injection_rate":-2)"),
               Contains("'injection_rate' is -2; a number from 0 is wanted"));
}
