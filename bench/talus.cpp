// SPDX-License-Identifier: GPL-3.0-or-later
// The talus kernel's yardstick: the same arithmetic as one would write it down, cell by cell, in plain C++.
//
// Each pass reads two arrays and writes two others; each cell asks its eight neighbours, as in
// erosion_addon/kernels/talus.py: loose material slides by min(loose / 2, excess / 2) / 4, rock that stands too high
// breaks. Closed or wrapped edges, no masks. Built without contraction into fused multiply-adds it gives the kernel's
// result bit for bit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace {

struct Constants { double hold[3], stand[3], collapse, rest; }; // to the next row, the next column, along the diagonal

struct Ground {
    const double *rock, *loose;
    double height(int64_t cell) const { return rock[cell] + loose[cell]; }
};

// What slides from one cell to a neighbour, less than nothing where it slides back.
double flow(const Ground &ground, int64_t cell, int64_t other, double hold, double rest)
{
    const double difference = ground.height(cell) - ground.height(other);
    const double loose = 0.5 * (difference > 0 ? ground.loose[cell] : ground.loose[other]);
    const double amount = std::min(loose, 0.5 * (std::abs(difference) - hold));
    if (!(amount > rest)) return 0;
    return difference > 0 ? amount * 0.25 : -(amount * 0.25);
}

void settle(const Ground &before, double *rock, double *loose, int64_t rows, int64_t cols, bool wrap,
    const Constants &constants)
{
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t col = 0; col < cols; ++col) {
            const int64_t cell = row * cols + col;
            double flows[3][3] = {};
            double lowest = std::numeric_limits<double>::infinity();
            for (int down = -1; down <= 1; ++down) {
                for (int right = -1; right <= 1; ++right) {
                    int64_t to_row = row + down, to_col = col + right;
                    if (wrap) {
                        to_row = (to_row + rows) % rows;
                        to_col = (to_col + cols) % cols;
                    } else if (to_row < 0 || to_row >= rows || to_col < 0 || to_col >= cols) {
                        continue;
                    }
                    if (down == 0 && right == 0) continue;
                    const int64_t other = to_row * cols + to_col;
                    const int kind = right == 0 ? 0 : (down == 0 ? 1 : 2);
                    flows[down + 1][right + 1] = flow(before, cell, other, constants.hold[kind], constants.rest);
                    lowest = std::min(lowest, before.height(other) + constants.stand[kind]);
                }
            }
            const double straight = (flows[1][2] + flows[1][0]) + (flows[2][1] + flows[0][1]);
            const double oblique = (flows[2][2] + flows[0][0]) + (flows[2][0] + flows[0][2]);
            loose[cell] = before.loose[cell] - (straight + oblique);
            const double wanted = (before.rock[cell] - lowest) * constants.collapse - before.loose[cell];
            rock[cell] = before.rock[cell] - (wanted > constants.rest ? wanted : 0.0);
            loose[cell] += before.rock[cell] - rock[cell];
        }
    }
}

} // namespace

// rock, loose: rows x cols, changed in place. numbers: the eight of Constants, in their order.
extern "C" void relax(double *rock, double *loose, int64_t rows, int64_t cols, int64_t wrap, const double *numbers,
    int64_t passes)
{
    const Constants constants{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]},
        numbers[6], numbers[7]};
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
