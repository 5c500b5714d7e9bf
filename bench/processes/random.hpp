// SPDX-License-Identifier: GPL-3.0-or-later
// The random numbers of erosion_addon/base/kernels/rng.py: by counter, so that any of them can be had alone.

#pragma once

#include <cstdint>

namespace {

constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15ull;

uint64_t mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

// Where the numbers of a particle start.
uint64_t stream(uint64_t key, uint64_t particle) { return mix(key ^ mix(particle * GOLDEN + GOLDEN)); }

// From 0 to 1, without 1.
double uniform(uint64_t start, uint64_t number)
{
    return double(mix(start + (number + 1) * GOLDEN) >> 11) * (1.0 / 9007199254740992.0);
}

} // namespace
