// SessionOptions::threads: the number of threads that a session starts, and no change of results.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>

#include "tests/runtime/run_graph.hpp"

using namespace ttsim::impl;

// Sanitizers replace pthread_create() themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static std::atomic<int> threads_started{0};

/// Counts the threads that the process starts: libstdc++ finds this definition before that of the C library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    ++threads_started;
    return create(thread, attributes, start, argument);
}

namespace {

struct Ran {
    int threads = 0;
    ir::Values outputs;
    std::uint64_t cycles = 0;
};

/// A session of a model with many constants, from construction to its outputs.
Ran ran_with(unsigned threads, sim::Mode mode, bool golden = false) {
    std::string text = "%x = input : f32[32, 64]\n";
    for (int k = 0; k < 12; ++k)
        text += fmt::format("%w{0} = constant [0.{0}1] : f32[64, 64]\n%y{0} = matmul {1}, %w{0} : f32[32, 64]\n", k,
                            k == 0 ? "%x" : fmt::format("%y{}", k - 1));
    ir::CompileOptions options;
    options.threads = 1;
    const ir::CompiledModel model =
        ir::compile(ir::parse_graph(text + "output \"y\" = %y11\n", "constants.tg"), options);
    REQUIRE(model.constants.size() >= 12);
    const ir::Values inputs{{"x", floats_of({32, 64}, std::vector<double>(2048, 0.5))}};
    const int before = threads_started;
    runtime::ModelOptions run;
    run.session.threads = threads;
    run.session.mode = mode;
    run.session.golden = golden;
    Ran made;
    {
        runtime::Model device(model, run);
        made.outputs = device.run(inputs);
        made.cycles = device.session().now();
    }
    made.threads = threads_started - before;
    return made;
}

}  // namespace

TEST_CASE("a session with one thread starts no other, and more threads change no bit and no cycle") {
    for (const auto& [mode, golden] :
         {std::pair{sim::Mode::Full, false}, {sim::Mode::Functional, false}, {sim::Mode::Functional, true}}) {
        const Ran one = ran_with(1, mode, golden), three = ran_with(3, mode, golden);
        CHECK(one.threads == 0);
        CHECK(three.threads > 0);
        CHECK(three.threads <= 4);  // two for values, and two to write the constants
        CHECK(one.outputs == three.outputs);
        CHECK(one.cycles == three.cycles);
    }
}

#endif
