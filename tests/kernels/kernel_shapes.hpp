// Shapes that tests of kernel times start from.
#pragma once

#include <string>

#include "kernels/kernel_shape.hpp"

namespace ttsim::impl::test {

inline KernelShape sfpu(const std::string& op, std::int64_t rt, std::int64_t ct, std::int64_t mblock) {
    KernelShape s;
    s.op = op;
    s.in0 = s.out = s.intermed = DataFormat::Bfp8_b;
    s.mblock_m = mblock;
    s.ublock_rt = rt;
    s.ublock_ct = ct;
    return s;
}

inline KernelShape product(Fidelity fidelity, std::int64_t u_kt, std::int64_t m_k) {
    KernelShape s = sfpu("matmul", 2, 4, 4);
    s.in1 = DataFormat::Bfp8_b;
    s.fidelity = fidelity;
    s.u_kt = u_kt;
    s.m_k = m_k;
    return s;
}

}  // namespace ttsim::impl::test
