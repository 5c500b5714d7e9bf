// SPDX-License-Identifier: GPL-3.0-or-later
// The flow graph's yardstick: a priority flood with a heap (Barnes, Lehman, Mulla 2014), as one would write it down in
// plain C++. Cells come from the border inward, each from the lowest place that has been reached; each drains to the one
// that it was reached from, and areas are summed in the opposite order. Open edges.

#include <cstdint>
#include <queue>
#include <vector>

namespace {

struct Cell {
    double level;
    int64_t at;
    bool operator<(const Cell &other) const
    {
        return level != other.level ? level > other.level : at > other.at;
    }
};

} // namespace

extern "C" void drain(const double *heights, int64_t rows, int64_t cols, double cell_area, double *levels, double *areas)
{
    std::priority_queue<Cell> queue;
    std::vector<int32_t> receivers(rows * cols, -1), order;
    std::vector<bool> reached(rows * cols, false);
    order.reserve(rows * cols);
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t col = 0; col < cols; ++col)
            if (row == 0 || col == 0 || row == rows - 1 || col == cols - 1) {
                const int64_t at = row * cols + col;
                levels[at] = heights[at];
                reached[at] = true;
                queue.push({heights[at], at});
            }
    while (!queue.empty()) {
        const Cell cell = queue.top();
        queue.pop();
        order.push_back(int32_t(cell.at));
        const int64_t row = cell.at / cols, col = cell.at % cols;
        for (int64_t r = row - 1; r <= row + 1; ++r)
            for (int64_t c = col - 1; c <= col + 1; ++c) {
                const int64_t at = r * cols + c;
                if (r < 0 || c < 0 || r >= rows || c >= cols || reached[at])
                    continue;
                reached[at] = true;
                receivers[at] = int32_t(cell.at);
                levels[at] = heights[at] > cell.level ? heights[at] : cell.level;
                queue.push({levels[at], at});
            }
    }
    for (int64_t at = 0; at < rows * cols; ++at)
        areas[at] = cell_area;
    for (int64_t place = int64_t(order.size()) - 1; place >= 0; --place)
        if (receivers[order[place]] >= 0)
            areas[receivers[order[place]]] += areas[order[place]];
}
