// SPDX-License-Identifier: GPL-3.0-or-later
// The rill kernel's yardstick: the same arithmetic, step by step, as plain C++.
//
// Light droplets with moisture as in erosion_addon/processes/rill/kernels/rill.py, both forms, all edges: no masks, square cells. Built
// without contraction into fused multiply-adds it gives the kernel's result bit for bit; the bench checks that before
// it measures.

#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

enum Edges { OPEN, CLOSED, WRAP };

constexpr double SMALLEST_SCALE = 1.0 / (uint64_t(1) << 40);

struct Cell { double height, loose; };
struct Water { float flow, moisture; };
struct Constants {
    double gravity, friction, transfer_rate, sediment_ratio, capacity, minimum_volume, evaporation, soil_absorption,
        soil_evaporation;
};
struct Totals { double eroded, filled, exported, steps, paths_cut; };

// Four cells around a place, by their index, and the way from the first row and column to the second.
struct Place { int64_t i00, i10, i01, i11; double row_part, col_part; };

struct Map {
    Cell *cells;
    Water *water;
    int64_t rows, cols, last_row, last_col;

    Place around(double z, double x) const
    {
        const int64_t row = std::min(int64_t(z), last_row - 1), col = std::min(int64_t(x), last_col - 1);
        const int64_t below = row + 1 < rows ? row + 1 : 0, right = col + 1 < cols ? col + 1 : 0;
        return {row * cols + col, row * cols + right, below * cols + col, below * cols + right, z - double(row),
            x - double(col)};
    }

    double height(const Place &p) const
    {
        const double upper = cells[p.i00].height * (1 - p.col_part) + cells[p.i10].height * p.col_part;
        const double lower = cells[p.i01].height * (1 - p.col_part) + cells[p.i11].height * p.col_part;
        return upper * (1 - p.row_part) + lower * p.row_part;
    }

    double lay(const Place &p, double amount, double ceiling)
    {
        double given = give(p.i00, amount * (1 - p.row_part) * (1 - p.col_part), ceiling);
        given += give(p.i10, amount * (1 - p.row_part) * p.col_part, ceiling);
        given += give(p.i01, amount * p.row_part * (1 - p.col_part), ceiling);
        given += give(p.i11, amount * p.row_part * p.col_part, ceiling);
        return given;
    }

    double dig(const Place &p, double amount, double floor)
    {
        double taken = take(p.i00, amount * (1 - p.row_part) * (1 - p.col_part), floor);
        taken += take(p.i10, amount * (1 - p.row_part) * p.col_part, floor);
        taken += take(p.i01, amount * p.row_part * (1 - p.col_part), floor);
        taken += take(p.i11, amount * p.row_part * p.col_part, floor);
        return taken;
    }

    void moisten(const Place &p, double wanted, double scale)
    {
        const double m00 = water[p.i00].moisture, m10 = water[p.i10].moisture;
        const double m01 = water[p.i01].moisture, m11 = water[p.i11].moisture;
        const double there = (m00 * (1 - p.col_part) + m10 * p.col_part) * (1 - p.row_part)
            + (m01 * (1 - p.col_part) + m11 * p.col_part) * p.row_part;
        const double amount = wanted * std::max(1.0 / scale - there, 0.0);
        water[p.i00].moisture = float(m00 + amount * (1 - p.row_part) * (1 - p.col_part));
        water[p.i10].moisture = float(m10 + amount * (1 - p.row_part) * p.col_part);
        water[p.i01].moisture = float(m01 + amount * p.row_part * (1 - p.col_part));
        water[p.i11].moisture = float(m11 + amount * p.row_part * p.col_part);
    }

private:
    double give(int64_t cell, double amount, double ceiling)
    {
        const double given = std::min(amount, std::max(ceiling - cells[cell].height, 0.0));
        cells[cell].height += given;
        cells[cell].loose += given;
        return given;
    }

    double take(int64_t cell, double amount, double floor)
    {
        const double taken = std::min(amount, std::max(cells[cell].height - floor, 0.0));
        cells[cell].loose = std::max(cells[cell].loose - taken, 0.0);
        cells[cell].height -= taken;
        return taken;
    }
};

double transfer(Map &map, const Place &place, double height, double new_height, double carry, double load,
    bool carries, const Constants &given, Totals &totals)
{
    const double rise = new_height - height;
    if (!carries) {
        if (rise > 0) {
            totals.filled += map.lay(place, rise * given.transfer_rate * given.sediment_ratio, new_height);
        } else {
            const double taken = map.dig(place, -rise * given.transfer_rate, new_height);
            totals.eroded += taken;
        }
        return load;
    }
    const double spare = carry * std::max(-rise, 0.0) - load;
    const double amount = std::min(std::abs(spare), std::abs(rise)) * given.transfer_rate;
    if (spare > 0) {
        const double taken = map.dig(place, amount, new_height);
        totals.eroded += taken;
        return load + taken;
    }
    return load - map.lay(place, std::min(amount * given.sediment_ratio, load), std::max(height, new_height));
}

void run_drop(Map &map, double z, double x, double scale, Edges edges, bool carries, int64_t maximum_steps,
    const Constants &given, Totals &totals)
{
    const double last_row = double(map.last_row), last_col = double(map.last_col);
    Place place = map.around(z, x);
    double load = 0, volume = 1, vx = 0, vz = 0;
    int64_t step = 0;
    while (volume > given.minimum_volume && step < maximum_steps) {
        const bool lower = place.row_part >= 0.5, righter = place.col_part >= 0.5;
        map.water[lower ? (righter ? place.i11 : place.i01) : (righter ? place.i10 : place.i00)].flow += float(volume);
        const double h00 = map.cells[place.i00].height, h10 = map.cells[place.i10].height;
        const double h01 = map.cells[place.i01].height, h11 = map.cells[place.i11].height;
        const double slope_z = (h01 - h00) * (1 - place.col_part) + (h11 - h10) * place.col_part;
        const double slope_x = (h10 - h00) * (1 - place.row_part) + (h11 - h01) * place.row_part;
        vx = vx * (1 - given.friction) - slope_x * given.gravity;
        vz = vz * (1 - given.friction) - slope_z * given.gravity;
        if (edges == CLOSED) {
            if ((x <= 0 && vx < 0) || (x >= last_col && vx > 0)) vx = 0;
            if ((z <= 0 && vz < 0) || (z >= last_row && vz > 0)) vz = 0;
        }
        const double speed = std::sqrt(vx * vx + vz * vz);
        if (speed == 0) break;
        x += vx / speed;
        z += vz / speed;
        if (!(x > 0 && x < last_col && z > 0 && z < last_row)) {
            if (edges == WRAP) {
                x = x >= last_col ? x - last_col : (x < 0 ? x + last_col : x);
                z = z >= last_row ? z - last_row : (z < 0 ? z + last_row : z);
            } else if (edges == CLOSED) {
                x = std::min(std::max(x, 0.0), last_col);
                z = std::min(std::max(z, 0.0), last_row);
            } else if (!(x >= 0 && x <= last_col && z >= 0 && z <= last_row)) {
                totals.exported += load;
                load = 0;
                break;
            }
        }
        const Place there = map.around(z, x);
        ++step;
        const double carry = speed * volume * given.capacity;
        load = transfer(map, place, map.height(place), map.height(there), carry, load, carries, given, totals);
        place = there;
        if (speed < 1 && given.soil_absorption > 0) map.moisten(place, (1 - speed) * given.soil_absorption, scale);
        volume *= 1 - given.evaporation;
    }
    if (step >= maximum_steps) totals.paths_cut += 1;
    totals.steps += double(step);
    map.lay(place, load, HUGE_VAL);
}

} // namespace

// cells: rows x cols pairs of height and loose part, in cells; water: likewise flow and moisture / scale; scale: one
// number. numbers: the nine of Constants, in their order. totals: the five of Totals.
extern "C" void run_rills(void *cells, void *water, double *scale, int64_t rows, int64_t cols, uint64_t key,
    int64_t first_drop, int64_t last_drop, const double *numbers, int64_t maximum_steps, int64_t edges,
    int64_t carries, double *totals)
{
    const bool wrap = edges == WRAP;
    Map map{static_cast<Cell *>(cells), static_cast<Water *>(water), rows, cols, wrap ? rows : rows - 1,
        wrap ? cols : cols - 1};
    const Constants given{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
        numbers[7], numbers[8]};
    Totals sums{totals[0], totals[1], totals[2], totals[3], totals[4]};
    for (int64_t drop = first_drop; drop < last_drop; ++drop) {
        const uint64_t start = stream(key, uint64_t(drop));
        const double z = uniform(start, 0) * double(map.last_row), x = uniform(start, 1) * double(map.last_col);
        run_drop(map, z, x, *scale, static_cast<Edges>(edges), carries != 0, maximum_steps, given, sums);
        *scale *= 1 - given.soil_evaporation;
        if (*scale < SMALLEST_SCALE) {
            for (int64_t cell = 0; cell < rows * cols; ++cell)
                map.water[cell].moisture = float(map.water[cell].moisture * *scale);
            *scale = 1;
        }
    }
    totals[0] = sums.eroded, totals[1] = sums.filled, totals[2] = sums.exported, totals[3] = sums.steps,
    totals[4] = sums.paths_cut;
}
