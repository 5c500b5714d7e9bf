// SPDX-License-Identifier: GPL-3.0-or-later
// The talus kernel's yardstick: the same arithmetic as one would write it down, cell by cell, in plain C++.
//
// Each pass reads two arrays and writes two others; each cell asks its eight neighbors, as in
// erosion_addon/processes/shared/kernels/relax.py: loose material slides down the gradient where it is too steep, to four of them, and
// rock that stands too high breaks. Closed or wrapped edges, no masks. Built without contraction into fused multiply-adds it gives the kernel's
// result bit for bit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace {

struct Constants {
    double hold, depth, share[2], spacing[2]; // to the next row, the next column
    double stand[3], collapse, rest; // the same, and along the diagonal
};

struct Ground {
    const double *rock, *loose;
    double height(int64_t cell) const { return rock[cell] + loose[cell]; }
};

// What slides from one cell to the next row (axis 0) or column (1), less than nothing where it slides back.
// one, other: differences of twice the height beside the face between them, on either side.
double flow(const Ground &ground, int64_t cell, int64_t next, double one, double other, int axis,
    const Constants &constants)
{
    const double fall = (ground.height(cell) - ground.height(next)) * (1.0 / constants.spacing[axis]);
    const double aside = one * other > 0 ? std::min(std::abs(one), std::abs(other)) : 0.0;
    const double across = aside * (0.5 / constants.spacing[1 - axis]);
    const double slope = std::sqrt(fall * fall + across * across);
    const double part = std::abs(fall) / std::max(slope, constants.hold);
    const double loose = fall > 0 ? ground.loose[cell] : ground.loose[next];
    const double amount = std::min(loose * part, (slope - constants.hold) * constants.depth * part);
    if (!(amount > 2.0 * constants.rest)) return 0;
    return std::copysign(amount * constants.share[axis], fall);
}

void settle(const Ground &before, double *rock, double *loose, int64_t rows, int64_t cols, bool wrap,
    const Constants &constants)
{
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t col = 0; col < cols; ++col) {
            const int64_t cell = row * cols + col;
            // Cells around this one; beyond a wall lies the cell in front of it.
            int64_t around[3][3];
            double lowest = std::numeric_limits<double>::infinity();
            for (int down = -1; down <= 1; ++down) {
                for (int right = -1; right <= 1; ++right) {
                    int64_t to_row = row + down, to_col = col + right;
                    if (wrap) {
                        to_row = (to_row + rows) % rows;
                        to_col = (to_col + cols) % cols;
                    } else {
                        to_row = std::clamp<int64_t>(to_row, 0, rows - 1);
                        to_col = std::clamp<int64_t>(to_col, 0, cols - 1);
                    }
                    around[down + 1][right + 1] = to_row * cols + to_col;
                    if (down == 0 && right == 0) continue;
                    const int kind = right == 0 ? 0 : (down == 0 ? 1 : 2);
                    lowest = std::min(lowest, before.height(around[down + 1][right + 1]) + constants.stand[kind]);
                }
            }
            double out[2][2]; // along columns and rows, back and forth
            for (int side = 0; side < 2; ++side) {
                const auto sum = [&](int64_t one, int64_t other) { return before.height(one) + before.height(other); };
                const auto &first = around[side], &second = around[side + 1];
                const double down = sum(first[1], second[1]);
                out[0][side] = flow(before, first[1], second[1], sum(first[0], second[0]) - down,
                    down - sum(first[2], second[2]), 0, constants);
                const double right = sum(around[1][side], around[1][side + 1]);
                out[1][side] = flow(before, around[1][side], around[1][side + 1],
                    sum(around[0][side], around[0][side + 1]) - right, right - sum(around[2][side], around[2][side + 1]),
                    1, constants);
            }
            loose[cell] = before.loose[cell] - ((out[1][1] - out[1][0]) + (out[0][1] - out[0][0]));
            const double wanted = (before.rock[cell] - lowest) * constants.collapse - before.loose[cell];
            rock[cell] = before.rock[cell] - (wanted > constants.rest ? wanted : 0.0);
            loose[cell] += before.rock[cell] - rock[cell];
        }
    }
}

} // namespace

// rock, loose: rows x cols, changed in place. numbers: the eleven of Constants, in their order.
extern "C" void relax(double *rock, double *loose, int64_t rows, int64_t cols, int64_t wrap, const double *numbers,
    int64_t passes)
{
    const double *n = numbers;
    const Constants constants{n[0], n[1], {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7], n[8]}, n[9], n[10]};
    std::vector<double> other_rock(rock, rock + rows * cols), other_loose(loose, loose + rows * cols);
    double *from_rock = rock, *from_loose = loose, *to_rock = other_rock.data(), *to_loose = other_loose.data();
    for (int64_t pass = 0; pass < passes; ++pass) {
        settle({from_rock, from_loose}, to_rock, to_loose, rows, cols, wrap != 0, constants);
        std::swap(from_rock, to_rock);
        std::swap(from_loose, to_loose);
    }
    if (from_rock != rock) {
        std::copy_n(from_rock, rows * cols, rock);
        std::copy_n(from_loose, rows * cols, loose);
    }
}
