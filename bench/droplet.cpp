// SPDX-License-Identifier: GPL-3.0-or-later
// The droplet kernel's yardstick: the same arithmetic, step by step, as plain C++.
//
// Ranmantaru Games, "Water erosion on heightmap terrain" (2011), with the guard, the edges and the random numbers of
// erosion_addon/kernels/droplet.py: brush and tangent variant, no masks, no colour, square cells. Compiled once for
// float, as published, and once for double, as in the kernel: there a pit is filled in one go with what is laid down
// beside, and the square of the speed is kept. Built without contraction into fused multiply-adds that gives the result
// of the kernel bit for bit; the bench checks it before it measures.

#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

enum Edges { OPEN, CLOSED, WRAP };

template <class Real> struct Cell { Real height, loose; };

template <class Real> class Map {
public:
    Map(Cell<Real> *cells, int64_t rows, int64_t cols, Edges edges)
        : cells_(cells), rows_(rows), cols_(cols), edges_(edges) {}

    Cell<Real> &at(int64_t row, int64_t col) { return cells_[row * cols_ + col]; }

    // Spreads `amount` by bilinear weights; returns what was laid down, which rounding can make a little different.
    Real deposit(int64_t row, int64_t col, int64_t below, int64_t right, Real row_part, Real col_part, Real amount)
    {
        Real given = lay(at(row, col), amount * (1 - row_part) * (1 - col_part));
        given += lay(at(row, right), amount * (1 - row_part) * col_part);
        given += lay(at(below, col), amount * row_part * (1 - col_part));
        given += lay(at(below, right), amount * row_part * col_part);
        return given;
    }

    // Takes `wanted` with the 4 x 4 bell, nothing below `floor`; returns what came.
    Real erode(int64_t row, int64_t col, Real row_part, Real col_part, Real wanted, Real floor)
    {
        wanted *= Real(0.1591549430918953);
        Real total = 0;
        for (int64_t down = -1; down < 3; ++down) {
            int64_t across_row = row + down;
            if (across_row < 0 || across_row >= rows_) {
                if (edges_ != WRAP) continue;
                across_row = (across_row + rows_) % rows_;
            }
            const Real row_distance = Real(down) - row_part;
            const Real row_weight = 1 - row_distance * row_distance * Real(0.25);
            Real across = 0;
            for (int64_t right = -1; right < 3; ++right) {
                int64_t across_col = col + right;
                if (across_col < 0 || across_col >= cols_) {
                    if (edges_ != WRAP) continue;
                    across_col = (across_col + cols_) % cols_;
                }
                const Real col_distance = Real(right) - col_part;
                const Real weight = row_weight - col_distance * col_distance * Real(0.25);
                if (weight <= 0) continue;
                Cell<Real> &cell = at(across_row, across_col);
                const Real room = std::max(cell.height - floor, Real(0));
                const Real taken = std::min(wanted * weight, room);
                cell.height -= taken;
                cell.loose = std::max(cell.loose - taken, Real(0));
                across += taken;
            }
            total += across;
        }
        return total;
    }

private:
    static Real lay(Cell<Real> &cell, Real amount)
    {
        cell.height += amount;
        cell.loose += amount;
        return amount;
    }

    Cell<Real> *cells_;
    int64_t rows_, cols_;
    Edges edges_;
};

template <class Real> struct Constants {
    Real capacity, evaporation, erosion_rate, deposition_rate, inertia, minimum_slope, gravity;
};

// totals: eroded, exported, steps, paths cut, random directions.
template <class Real, bool published>
void run_drops(Cell<Real> *cells, float *flow, int64_t rows, int64_t cols, uint64_t key, int64_t first_drop,
    int64_t last_drop, const Constants<Real> &constants, int64_t maximum_steps, Edges edges, double *totals)
{
    Map<Real> map(cells, rows, cols, edges);
    const int64_t last_row = edges == WRAP ? rows : rows - 1, last_col = edges == WRAP ? cols : cols - 1;
    for (int64_t drop = first_drop; drop < last_drop; ++drop) {
        const uint64_t start = stream(key, uint64_t(drop));
        uint64_t draws = 1;
        double eroded = 0, exported = 0;
        const int64_t cell = std::min(int64_t(uniform(start, 0) * double(rows * cols)), rows * cols - 1);
        Real z = Real(cell / cols), x = Real(cell % cols);
        int64_t row = cell / cols, col = cell % cols;
        if (edges != WRAP) {
            row = std::min(row, rows - 2);
            col = std::min(col, cols - 2);
        }
        Real row_part = z - Real(row), col_part = x - Real(col);
        int64_t below = row + 1 < rows ? row + 1 : 0, right = col + 1 < cols ? col + 1 : 0;
        Real h00 = map.at(row, col).height, h10 = map.at(row, right).height;
        Real h01 = map.at(below, col).height, h11 = map.at(below, right).height;
        Real height = map.at(cell / cols, cell % cols).height;
        Real load = 0, speed = 0, energy = 0, water = 1, dx = 0, dz = 0;
        int64_t step = 0;
        for (; step < maximum_steps; ++step) {
            flow[(row_part < Real(0.5) ? row : below) * cols + (col_part < Real(0.5) ? col : right)] += float(water);
            const Real down = h00 - h11, up = h01 - h10;
            dx = dx * constants.inertia + (down + up) * (1 - constants.inertia);
            dz = dz * constants.inertia + (down - up) * (1 - constants.inertia);
            if (edges == CLOSED) {
                if ((x <= 0 && dx < 0) || (x >= Real(last_col) && dx > 0)) dx = 0;
                if ((z <= 0 && dz < 0) || (z >= Real(last_row) && dz > 0)) dz = 0;
            }
            const Real length = std::sqrt(dx * dx + dz * dz);
            if (length <= Real(1.1920929e-07)) {
                const double angle = uniform(start, draws++) * (2.0 * M_PI);
                dx = Real(std::cos(angle));
                dz = Real(std::sin(angle));
                totals[4] += 1;
            } else {
                dx /= length;
                dz /= length;
            }

            Real new_x = x + dx, new_z = z + dz;
            if (edges == WRAP) {
                new_x = new_x >= Real(cols) ? new_x - Real(cols) : (new_x < 0 ? new_x + Real(cols) : new_x);
                new_z = new_z >= Real(rows) ? new_z - Real(rows) : (new_z < 0 ? new_z + Real(rows) : new_z);
            } else if (edges == CLOSED) {
                new_x = std::min(std::max(new_x, Real(0)), Real(last_col));
                new_z = std::min(std::max(new_z, Real(0)), Real(last_row));
            } else if (!(new_x >= 0 && new_x <= Real(last_col) && new_z >= 0 && new_z <= Real(last_row))) {
                exported += double(load);
                break;
            }
            const int64_t new_row = std::min(int64_t(new_z), last_row - 1);
            const int64_t new_col = std::min(int64_t(new_x), last_col - 1);
            const Real new_row_part = new_z - Real(new_row), new_col_part = new_x - Real(new_col);
            const int64_t new_below = new_row + 1 < rows ? new_row + 1 : 0;
            const int64_t new_right = new_col + 1 < cols ? new_col + 1 : 0;
            const Real n00 = map.at(new_row, new_col).height, n10 = map.at(new_row, new_right).height;
            const Real n01 = map.at(new_below, new_col).height, n11 = map.at(new_below, new_right).height;
            const Real new_height = (n00 * (1 - new_col_part) + n10 * new_col_part) * (1 - new_row_part)
                + (n01 * (1 - new_col_part) + n11 * new_col_part) * new_row_part;

            Real fill = 0;
            if (new_height >= height) {
                const Real needed = new_height - height + Real(0.001);
                const bool stuck = needed >= load;
                fill = std::min(needed, load);
                Real given = fill;
                if (published || stuck || height + fill <= new_height)
                    given = map.deposit(row, col, below, right, row_part, col_part, fill);
                load = std::max(load - given, Real(0));
                height += given;
                speed = energy = 0;
                if (stuck || height <= new_height) break;
            }

            Real fall = height - new_height;
            const Real slope = std::max(fall, constants.minimum_slope);
            const Real carry = published ? slope * (speed * water * constants.capacity)
                                         : slope * (water * constants.capacity) * speed;
            if (load >= carry) {
                const Real amount = (load - carry) * constants.deposition_rate;
                const Real laid = published ? amount : fill + amount;
                Real given = map.deposit(row, col, below, right, row_part, col_part, laid);
                given = published ? given : amount;
                load = std::max(load - given, Real(0));
                fall += given;
            } else {
                const Real wanted = std::min((carry - load) * constants.erosion_rate, Real(0.99) * fall);
                const Real taken = map.erode(row, col, row_part, col_part, wanted, new_height);
                eroded += double(taken);
                load += taken;
                fall = std::max(fall - taken, Real(0));
            }
            energy = (published ? speed * speed : energy) + 2 * constants.gravity * fall;
            speed = std::sqrt(energy);
            water *= 1 - constants.evaporation;
            x = new_x, z = new_z, height = new_height;
            row = new_row, col = new_col, below = new_below, right = new_right;
            row_part = new_row_part, col_part = new_col_part;
            h00 = n00, h10 = n10, h01 = n01, h11 = n11;
        }
        if (step >= maximum_steps) {
            totals[3] += 1;
            map.deposit(row, col, below, right, row_part, col_part, load);
        }
        totals[0] += eroded;
        totals[1] += exported;
        totals[2] += double(step);
    }
}

template <class Real, bool published>
void run(void *cells, float *flow, int64_t rows, int64_t cols, uint64_t key, int64_t first_drop, int64_t last_drop,
    const double *numbers, int64_t maximum_steps, int64_t edges, double *totals)
{
    const Constants<Real> constants{Real(numbers[0]), Real(numbers[1]), Real(numbers[2]), Real(numbers[3]),
        Real(numbers[4]), Real(numbers[5]), Real(numbers[6])};
    run_drops<Real, published>(static_cast<Cell<Real> *>(cells), flow, rows, cols, key, first_drop, last_drop,
        constants, maximum_steps, static_cast<Edges>(edges), totals);
}

} // namespace

// cells: rows x cols pairs of height and loose part, in cells. numbers: the seven of Constants, in their order.
extern "C" void run_drops_double(void *cells, float *flow, int64_t rows, int64_t cols, uint64_t key,
    int64_t first_drop, int64_t last_drop, const double *numbers, int64_t maximum_steps, int64_t edges, double *totals)
{
    run<double, false>(cells, flow, rows, cols, key, first_drop, last_drop, numbers, maximum_steps, edges, totals);
}

extern "C" void run_drops_float(void *cells, float *flow, int64_t rows, int64_t cols, uint64_t key,
    int64_t first_drop, int64_t last_drop, const double *numbers, int64_t maximum_steps, int64_t edges, double *totals)
{
    run<float, true>(cells, flow, rows, cols, key, first_drop, last_drop, numbers, maximum_steps, edges, totals);
}
