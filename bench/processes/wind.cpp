// SPDX-License-Identifier: GPL-3.0-or-later
// The wind kernel's yardstick: the same arithmetic, step by step, as plain C++.
//
// McDonald, "Particle-Based Wind Erosion" (2020), with the edges, the shadow and the random numbers of
// erosion_addon/processes/wind/kernels/saltation.py: no masks, no covers, no sources. Built without contraction into fused multiply-adds it
// gives the kernel's result bit for bit; the bench checks that before it measures.

#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

enum Edges { OPEN, CLOSED, WRAP };

// A load below this falls whole, so that it never gets so small that the processor is slow with it.
constexpr double LEAST = 1e-30;

// The order of kernels.wind.Constants.
struct Constants {
    double time_step, lift, fall, lee_fall, abrasion, gravity, pull, air_lift, air_drag, share, row_step, col_step,
        row_slope, col_slope, row_hold, col_hold, diagonal_hold, shelter;
};

// The order of kernels.wind.Totals.
struct Totals {
    double lifted, slid, abraded, supplied, exported, steps, aged;
};

struct Cell {
    double surface, loose;
};

struct Map {
    Cell *cells;
    int64_t rows, cols;
    Edges edges;
    const Constants &constants;

    Cell &at(int64_t row, int64_t col) { return cells[row * cols + col]; }

    int64_t inside(int64_t index, int64_t count) const
    {
        if (index < 0) return edges == WRAP ? index + count : 0;
        if (index >= count) return edges == WRAP ? index - count : count - 1;
        return index;
    }

    double slide(Cell &one, Cell &other, double hold, double share)
    {
        const double difference = one.surface - other.surface;
        if (std::abs(difference) <= hold) return 0;
        Cell &high = difference < 0 ? other : one, &low = difference < 0 ? one : other;
        const double half = 0.5 * (std::abs(difference) - hold);
        const double wanted = std::min(high.loose, half);
        const double amount = wanted > 0 ? wanted * share : 0;
        high.surface -= amount;
        high.loose -= amount;
        low.surface += amount;
        low.loose += amount;
        return amount;
    }

    double cascade(int64_t row, int64_t col, double share)
    {
        Cell &cell = at(row, col);
        double slid = 0;
        for (int64_t down = -1; down <= 1; ++down)
            for (int64_t right = -1; right <= 1; ++right) {
                if (!down && !right) continue;
                int64_t to_row = row + down, to_col = col + right;
                if (to_row < 0 || to_row >= rows || to_col < 0 || to_col >= cols) {
                    if (edges != WRAP) continue;
                    to_row = (to_row + rows) % rows, to_col = (to_col + cols) % cols;
                }
                const double hold = !down ? constants.col_hold : !right ? constants.row_hold : constants.diagonal_hold;
                slid += slide(cell, at(to_row, to_col), hold, share);
            }
        return slid;
    }

    double settle(int64_t row, int64_t col, double amount)
    {
        Cell &cell = at(row, col);
        cell.surface += amount;
        cell.loose += amount;
        return amount;
    }

    double touch(int64_t row, int64_t col, double depth, double speed, double load, double &abraded)
    {
        Cell &cell = at(row, col);
        if (cell.loose <= 0) {
            const double worn = std::min(constants.abrasion * speed * load, 1.0) * depth;
            cell.loose = worn;
            abraded += worn;
            return 0;
        }
        const double lifted = std::min(std::min(constants.lift * speed, 1.0) * depth, cell.loose);
        cell.surface -= lifted;
        cell.loose -= lifted;
        return lifted;
    }

    void slope(double z, double x, double &along_z, double &along_x)
    {
        const double place_z = z - 0.5, place_x = x - 0.5;
        const double floor_z = std::floor(place_z), floor_x = std::floor(place_x);
        const double down = place_z - floor_z, right = place_x - floor_x, left = 1 - right, up = 1 - down;
        const int64_t row = int64_t(floor_z), col = int64_t(floor_x);
        const int64_t r0 = inside(row - 1, rows), r1 = inside(row, rows), r2 = inside(row + 1, rows),
                      r3 = inside(row + 2, rows);
        const int64_t c0 = inside(col - 1, cols), c1 = inside(col, cols), c2 = inside(col + 1, cols),
                      c3 = inside(col + 2, cols);
        const double h11 = at(r1, c1).surface, h12 = at(r1, c2).surface;
        const double h21 = at(r2, c1).surface, h22 = at(r2, c2).surface;
        along_x = ((h12 - at(r1, c0).surface) * left + (at(r1, c3).surface - h11) * right) * up
            + ((h22 - at(r2, c0).surface) * left + (at(r2, c3).surface - h21) * right) * down;
        along_z = ((h21 - at(r0, c1).surface) * up + (at(r3, c1).surface - h11) * down) * left
            + ((h22 - at(r0, c2).surface) * up + (at(r3, c2).surface - h12) * down) * right;
        along_x *= constants.col_slope;
        along_z *= constants.row_slope;
    }
};

void fly(Map &map, uint8_t *track, const double *shade, double z, double x, double load, double wind_row,
    double wind_col, int64_t maximum_steps, Totals &totals)
{
    const Constants &constants = map.constants;
    const int64_t rows = map.rows, cols = map.cols, last_lift = maximum_steps - maximum_steps / 4;
    const double dt = constants.time_step, share = constants.share;
    const double slip = 1 - dt, keep = 1 - constants.pull;
    const double gust_z = constants.pull * wind_row, gust_x = constants.pull * wind_col;
    double vz = wind_row, vx = wind_col, vy = 0, y = -INFINITY;
    double lifted = 0, slid = 0, abraded = 0;
    int64_t row = int64_t(z), col = int64_t(x), step = 0;
    bool left = false;
    while (step < maximum_steps) {
        ++step;
        const double surface = map.at(row, col).surface;
        y = std::max(y, surface);
        const bool lee = shade && y < shade[row * cols + col];
        if (y > surface) {
            vy -= constants.gravity;
            if (constants.air_drag > 0 || constants.air_lift > 0) {
                const double speed = std::sqrt(vz * vz + vx * vx + vy * vy);
                const double slower = 1 - std::min(constants.air_drag * speed, 1.0);
                vy += constants.air_lift * std::sqrt(vz * vz + vx * vx);
                vz *= slower, vx *= slower, vy *= slower;
            }
        } else {
            track[row * cols + col] = 1;
            double slope_z, slope_x;
            map.slope(z, x, slope_z, slope_x);
            const double into = (vy - slope_z * vz - slope_x * vx) / (1 + slope_z * slope_z + slope_x * slope_x);
            const double push = dt * into;
            vz = slip * vz - slope_z * push;
            vx = slip * vx - slope_x * push;
            vy = slip * vy + push;
        }
        vz = keep * vz + gust_z;
        vx = keep * vx + gust_x;
        vy = keep * vy;
        z += constants.row_step * vz;
        x += constants.col_step * vx;
        y += dt * vy;

        if (!(z >= 0 && z < double(rows) && x >= 0 && x < double(cols))) {
            left = map.edges == OPEN;
            if (left || map.edges == CLOSED) break;
            z = std::fmod(z, double(rows)), x = std::fmod(x, double(cols));
            z = z < 0 ? z + double(rows) : z, x = x < 0 ? x + double(cols) : x;
            z = z < double(rows) ? z : 0, x = x < double(cols) ? x : 0;
        }
        const int64_t new_row = int64_t(z), new_col = int64_t(x);
        const double new_surface = map.at(new_row, new_col).surface;
        const double speed = std::sqrt(vz * vz + vx * vx + vy * vy);
        if (step > last_lift) {
            const double falling = 0.5 * load / double(maximum_steps + 1 - step);
            load -= map.settle(new_row, new_col, falling);
            load -= map.settle(row, col, falling);
        } else if (y <= new_surface) {
            const double force = speed * (lee ? 1 - constants.shelter : 1);
            const double amount = map.touch(row, col, new_surface - y, force, load, abraded);
            if (amount > 0) {
                load += amount;
                lifted += amount;
                slid += map.cascade(row, col, share);
            }
        } else {
            const double falling = 0.5 * load * (load <= LEAST ? 1 : lee ? constants.lee_fall : constants.fall);
            load -= map.settle(new_row, new_col, falling);
            load -= map.settle(row, col, falling);
            if (new_row == row && new_col == col) {
                slid += map.cascade(row, col, 2 * share);
            } else {
                slid += map.cascade(new_row, new_col, share);
                slid += map.cascade(row, col, share);
            }
        }
        row = new_row, col = new_col;
        if (speed < 0.01) break;
    }
    if (!left) {
        load -= map.settle(row, col, load);
        slid += map.cascade(row, col, share);
    }
    totals.lifted += lifted;
    totals.slid += slid;
    totals.abraded += abraded;
    totals.exported += load;
    totals.steps += double(step);
    totals.aged += step == maximum_steps ? 1 : 0;
}

} // namespace

// ground: rows x cols pairs of surface and loose part. numbers: the 18 of Constants; totals: the 7 of Totals.
// shade: rows x cols, or null.
extern "C" void run_particles(double *ground, uint8_t *track, const double *shade, int64_t rows, int64_t cols,
    uint64_t key, int64_t first, int64_t last, double wind_row, double wind_col, double supply, const double *numbers,
    int64_t maximum_steps, int64_t edges, double *totals)
{
    const Constants &constants = *reinterpret_cast<const Constants *>(numbers);
    Totals &sums = *reinterpret_cast<Totals *>(totals);
    Map map{reinterpret_cast<Cell *>(ground), rows, cols, static_cast<Edges>(edges), constants};
    for (int64_t particle = first; particle < last; ++particle) {
        const uint64_t start = stream(key, uint64_t(particle));
        const double chance = uniform(start, 0), along = uniform(start, 1);
        double z, x;
        if (edges == WRAP) {
            z = chance * double(rows), x = along * double(cols);
        } else {
            const double across = std::abs(wind_col) * constants.col_step * double(rows);
            if (chance * (across + std::abs(wind_row) * constants.row_step * double(cols)) < across) {
                z = along * double(rows), x = wind_col > 0 ? 0.5 : double(cols) - 0.5;
            } else {
                z = wind_row > 0 ? 0.5 : double(rows) - 0.5, x = along * double(cols);
            }
        }
        sums.supplied += supply;
        fly(map, track, shade, z, x, supply, wind_row, wind_col, maximum_steps, sums);
    }
}
