// SPDX-License-Identifier: GPL-3.0-or-later
// The pipes' yardstick: the arithmetic of erosion_addon/processes/water/kernels/flow.py as plain C++, in five passes over the grid.
//
// Closed edges. Built without contraction into fused multiply-adds it gives the kernel's result bit for bit.
// `stream` moves as many bytes as a fused step has to: read bed, depth, load and both fluxes, write all but the bed,
// 8 + 16 + 16 + 8 + 8 = 56 bytes a cell, without the slopes. Its time is the limit that memory sets.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr float FILM = 1e-4f, NOTHING = 1e-12f;
const float KEPT = float(1.0 - 1e-5);

struct Pipes {
    float seconds, push_row, push_col, row_steepness, col_steepness, gravity, friction, depth;
    double row_share, col_share;
};

float pushed(float flux, float across, double head, double head_beyond, float water, float water_beyond, float push,
             float slope, const Pipes &pipes)
{
    float fall = float(head - head_beyond);
    float depth = std::min(water + std::max(-fall, 0.0f), water_beyond + std::max(fall, 0.0f));
    float pipe = std::min(depth, pipes.depth);
    float resistance = pipes.friction + slope, cube = depth * depth * depth;
    float flow = std::max(resistance * (flux * flux + across * across), pipes.gravity * slope * cube);
    float drag = pipes.seconds * pipe * std::sqrt(resistance * flow);
    float result = (flux + push * pipe * fall) * (cube / (cube + drag));
    return depth > FILM && std::fabs(result) > NOTHING ? result : 0.0f;
}

} // namespace

// bed, steep, depth, suspended: (rows, cols). flux_x: (rows, cols + 1), flux_y: (rows + 1, cols).
extern "C" void run_water(const double *bed, const float *steep, double *depth, double *suspended, float *flux_x,
                          float *flux_y, int64_t rows, int64_t cols, int64_t steps, const Pipes *given)
{
    const Pipes pipes = *given;
    std::vector<float> new_x(flux_x, flux_x + rows * (cols + 1)), new_y(flux_y, flux_y + (rows + 1) * cols);
    std::vector<float> share(rows * cols), load(rows * cols);
    std::vector<float> carried_x(rows * (cols + 1)), carried_y((rows + 1) * cols);
    auto at = [cols](int64_t row, int64_t col) { return row * cols + col; };
    auto head_at = [=](int64_t i) { return bed[i] + (depth[i] + suspended[i]); };  // the load takes its room
    auto face = [cols](int64_t row, int64_t col) { return row * (cols + 1) + col; };
    const float row_share = float(pipes.row_share), col_share = float(pipes.col_share);
    for (int64_t step = 0; step < steps; ++step) {
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t col = 0; col < cols; ++col) {
                int64_t i = at(row, col);
                double head = head_at(i);
                float along = flux_x[face(row, col)] + flux_x[face(row, col + 1)];
                float down = flux_y[i] + flux_y[i + cols];
                if (col + 1 < cols) {
                    float beyond = flux_y[i + 1] + flux_y[i + 1 + cols];
                    new_x[face(row, col + 1)] =
                        pushed(flux_x[face(row, col + 1)], (down + beyond) * 0.25f, head, head_at(i + 1),
                               float(depth[i]), float(depth[i + 1]), pipes.push_col, (steep[i] + steep[i + 1]) * 0.5f, pipes);
                }
                if (row + 1 < rows) {
                    float beyond = flux_x[face(row + 1, col)] + flux_x[face(row + 1, col + 1)];
                    new_y[i + cols] = pushed(flux_y[i + cols], (along + beyond) * 0.25f, head,
                                             head_at(i + cols), float(depth[i]), float(depth[i + cols]),
                                             pipes.push_row, (steep[i] + steep[i + cols]) * 0.5f, pipes);
                }
            }
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t col = 0; col < cols; ++col) {
                int64_t i = at(row, col);
                float wanted = (std::max(new_x[face(row, col + 1)], 0.0f) + std::max(-new_x[face(row, col)], 0.0f)) *
                                   col_share +
                               (std::max(new_y[i + cols], 0.0f) + std::max(-new_y[i], 0.0f)) * row_share;
                float room = float(depth[i]) * KEPT;
                share[i] = room / std::max(std::max(wanted, room), 1e-30f);
                load[i] = (float(suspended[i]) > NOTHING ? float(suspended[i]) : 0.0f) / std::max(float(depth[i]), FILM);
            }
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t col = 0; col < cols; ++col) {
                int64_t i = at(row, col);
                if (col > 0) {
                    int64_t f = face(row, col), source = new_x[f] > 0.0f ? i - 1 : i;
                    flux_x[f] = new_x[f] * share[source];
                    carried_x[f] = flux_x[f] * (flux_x[f] > 0.0f ? load[i - 1] : load[i]);
                }
                if (row > 0) {
                    int64_t source = new_y[i] > 0.0f ? i - cols : i;
                    flux_y[i] = new_y[i] * share[source];
                    carried_y[i] = flux_y[i] * (flux_y[i] > 0.0f ? load[i - cols] : load[i]);
                }
            }
        auto apply = [&](double *content, const float *across, const float *along) {
            for (int64_t row = 0; row < rows; ++row)
                for (int64_t col = 0; col < cols; ++col) {
                    int64_t i = at(row, col), f = face(row, col);
                    double row_gain = (double(along[i]) - double(along[i + cols])) * pipes.row_share;
                    double col_gain = (double(across[f]) - double(across[f + 1])) * pipes.col_share;
                    content[i] += row_gain + col_gain;
                }
        };
        apply(depth, flux_x, flux_y);
        apply(suspended, carried_x.data(), carried_y.data());
    }
}

// Two arrays of doubles and two of floats updated in place, one of doubles read: 56 bytes an element.
extern "C" void stream(const double *bed, double *depth, double *suspended, float *flux_x, float *flux_y, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        depth[i] += bed[i];
        suspended[i] += 1.0;
        flux_x[i] += 1.0f;
        flux_y[i] += 1.0f;
    }
}
