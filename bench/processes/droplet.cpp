// SPDX-License-Identifier: GPL-3.0-or-later
// The droplet kernel's yardstick: the same arithmetic, step by step, as plain C++.
//
// Ranmantaru Games, "Water erosion on heightmap terrain" (2011), with the guard, the edges and the random numbers of
// erosion_addon/processes/droplet/kernels/droplet.py: brush and tangent variant, no masks, no color, square cells. Compiled once for
// float, as published, and once for double, as in the kernel: there a pit is filled in one go with what is laid down
// beside, the square of the speed is kept, and two drops run side by side, step by step. Built without contraction into fused multiply-adds that gives the result
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

// A drop between two steps; `running` is false for no drop at all.
template <class Real> struct Drop {
    bool running = false;
    uint64_t start, draws;
    int64_t step;
    Real x, z, dx, dz, height, load, speed, energy, water;
    int64_t row, col, below, right;
    Real row_part, col_part;
    Real h00, h10, h01, h11; // corners of its cell, as they were when it came
    double eroded;
};

// totals: eroded, exported, steps, paths cut, random directions.
template <class Real, bool published> class Rain {
public:
    Rain(Cell<Real> *cells, float *flow, int64_t rows, int64_t cols, uint64_t key, const Constants<Real> &constants,
        int64_t maximum_steps, Edges edges, double *totals)
        : map_(cells, rows, cols, edges), flow_(flow), rows_(rows), cols_(cols),
          last_row_(edges == WRAP ? rows : rows - 1), last_col_(edges == WRAP ? cols : cols - 1), key_(key),
          constants_(constants), maximum_steps_(maximum_steps), edges_(edges), totals_(totals) {}

    Drop<Real> begin(int64_t number)
    {
        Drop<Real> drop;
        drop.running = true;
        drop.start = stream(key_, uint64_t(number));
        drop.draws = 1;
        const int64_t cell = std::min(int64_t(uniform(drop.start, 0) * double(rows_ * cols_)), rows_ * cols_ - 1);
        drop.z = Real(cell / cols_), drop.x = Real(cell % cols_);
        drop.dx = drop.dz = drop.load = drop.speed = drop.energy = 0;
        drop.water = 1;
        drop.step = 0;
        drop.eroded = 0;
        look_around(drop);
        drop.height = map_.at(cell / cols_, cell % cols_).height;
        return drop;
    }

    // One step of a drop, or its end.
    [[gnu::always_inline]] void step(Drop<Real> &drop)
    {
        if (drop.step >= maximum_steps_) {
            totals_[3] += 1;
            map_.deposit(
                drop.row, drop.col, drop.below, drop.right, drop.row_part, drop.col_part, drop.load);
            return end(drop, 0);
        }
        const int64_t row = drop.row, col = drop.col, below = drop.below, right = drop.right;
        const Real row_part = drop.row_part, col_part = drop.col_part;
        flow_[(row_part < Real(0.5) ? row : below) * cols_ + (col_part < Real(0.5) ? col : right)]
            += float(drop.water);
        const Real down = drop.h00 - drop.h11, up = drop.h01 - drop.h10;
        Real dx = drop.dx * constants_.inertia + (down + up) * (1 - constants_.inertia);
        Real dz = drop.dz * constants_.inertia + (down - up) * (1 - constants_.inertia);
        if (edges_ == CLOSED) {
            if ((drop.x <= 0 && dx < 0) || (drop.x >= Real(last_col_) && dx > 0)) dx = 0;
            if ((drop.z <= 0 && dz < 0) || (drop.z >= Real(last_row_) && dz > 0)) dz = 0;
        }
        const Real length = std::sqrt(dx * dx + dz * dz);
        if (length <= Real(1.1920929e-07)) {
            const double angle = uniform(drop.start, drop.draws++) * (2.0 * M_PI);
            dx = Real(std::cos(angle));
            dz = Real(std::sin(angle));
            totals_[4] += 1;
        } else {
            dx /= length;
            dz /= length;
        }

        Real x = drop.x + dx, z = drop.z + dz;
        if (edges_ == WRAP) {
            x = x >= Real(cols_) ? x - Real(cols_) : (x < 0 ? x + Real(cols_) : x);
            z = z >= Real(rows_) ? z - Real(rows_) : (z < 0 ? z + Real(rows_) : z);
        } else if (edges_ == CLOSED) {
            x = std::min(std::max(x, Real(0)), Real(last_col_));
            z = std::min(std::max(z, Real(0)), Real(last_row_));
        } else if (!(x >= 0 && x <= Real(last_col_) && z >= 0 && z <= Real(last_row_))) {
            return end(drop, drop.load);
        }
        drop.x = x, drop.z = z, drop.dx = dx, drop.dz = dz;
        look_around(drop);
        const Real height = (drop.h00 * (1 - drop.col_part) + drop.h10 * drop.col_part) * (1 - drop.row_part)
            + (drop.h01 * (1 - drop.col_part) + drop.h11 * drop.col_part) * drop.row_part;

        Real fill = 0;
        if (height >= drop.height) {
            const Real needed = height - drop.height + Real(0.001);
            const bool stuck = needed >= drop.load;
            fill = std::min(needed, drop.load);
            Real given = fill;
            if (published || stuck || drop.height + fill <= height)
                given = map_.deposit(row, col, below, right, row_part, col_part, fill);
            drop.load = std::max(drop.load - given, Real(0));
            drop.height += given;
            drop.speed = drop.energy = 0;
            if (stuck || drop.height <= height) return end(drop, 0);
        }

        Real fall = drop.height - height;
        const Real slope = std::max(fall, constants_.minimum_slope);
        const Real carry = published ? slope * (drop.speed * drop.water * constants_.capacity)
                                     : slope * (drop.water * constants_.capacity) * drop.speed;
        if (drop.load >= carry) {
            const Real amount = (drop.load - carry) * constants_.deposition_rate;
            const Real laid = published ? amount : fill + amount;
            Real given = map_.deposit(row, col, below, right, row_part, col_part, laid);
            given = published ? given : amount;
            drop.load = std::max(drop.load - given, Real(0));
            fall += given;
        } else {
            const Real wanted = std::min((carry - drop.load) * constants_.erosion_rate, Real(0.99) * fall);
            const Real taken = map_.erode(row, col, row_part, col_part, wanted, height);
            drop.eroded += double(taken);
            drop.load += taken;
            fall = std::max(fall - taken, Real(0));
        }
        drop.energy = (published ? drop.speed * drop.speed : drop.energy) + 2 * constants_.gravity * fall;
        drop.speed = std::sqrt(drop.energy);
        drop.water *= 1 - constants_.evaporation;
        drop.height = height;
        drop.step += 1;
    }

private:
    // The cell that the drop is in, and the heights of its corners.
    void look_around(Drop<Real> &drop)
    {
        drop.row = std::min(int64_t(drop.z), last_row_ - 1);
        drop.col = std::min(int64_t(drop.x), last_col_ - 1);
        drop.row_part = drop.z - Real(drop.row), drop.col_part = drop.x - Real(drop.col);
        drop.below = drop.row + 1 < rows_ ? drop.row + 1 : 0;
        drop.right = drop.col + 1 < cols_ ? drop.col + 1 : 0;
        drop.h00 = map_.at(drop.row, drop.col).height, drop.h10 = map_.at(drop.row, drop.right).height;
        drop.h01 = map_.at(drop.below, drop.col).height, drop.h11 = map_.at(drop.below, drop.right).height;
    }

    void end(Drop<Real> &drop, Real exported)
    {
        totals_[0] += drop.eroded;
        totals_[1] += double(exported);
        totals_[2] += double(drop.step);
        drop.running = false;
    }

    Map<Real> map_;
    float *flow_;
    int64_t rows_, cols_, last_row_, last_col_;
    uint64_t key_;
    const Constants<Real> constants_;
    int64_t maximum_steps_;
    Edges edges_;
    double *totals_;
};

template <class Real, bool published>
void run(void *cells, float *flow, int64_t rows, int64_t cols, uint64_t key, int64_t first_drop, int64_t last_drop,
    const double *numbers, int64_t maximum_steps, int64_t edges, double *totals)
{
    const Constants<Real> constants{Real(numbers[0]), Real(numbers[1]), Real(numbers[2]), Real(numbers[3]),
        Real(numbers[4]), Real(numbers[5]), Real(numbers[6])};
    Rain<Real, published> rain(static_cast<Cell<Real> *>(cells), flow, rows, cols, key, constants, maximum_steps,
        static_cast<Edges>(edges), totals);
    const auto next = [&] { return first_drop < last_drop ? rain.begin(first_drop++) : Drop<Real>(); };
    if (published) {
        while (first_drop < last_drop)
            for (Drop<Real> drop = next(); drop.running;) rain.step(drop);
        return;
    }
    Drop<Real> drop = next(), beside = next();
    while (drop.running || beside.running) {
        if (drop.running) {
            rain.step(drop);
            if (!drop.running) drop = next();
        }
        if (beside.running) {
            rain.step(beside);
            if (!beside.running) beside = next();
        }
    }
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
