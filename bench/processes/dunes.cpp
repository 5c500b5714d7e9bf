// SPDX-License-Identifier: GPL-3.0-or-later
// The dunes kernel's yardstick: a sweep of slabs along wind lines, one line after the other, in plain C++.
//
// Werner (1995) with the lines, the shadows, the speed-up of the wind with height and the random numbers of
// erosion_addon/processes/dunes/kernels/slabs.py, and its two results, sand and cells in the wind: no masks, no plants, no wear of rock, no
// supply. Built without contraction into fused multiply-adds it gives the kernel's result bit for bit.

#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace {

enum Edges { OPEN, CLOSED, WRAP };

constexpr double SAND = 0.6, ROCK = 0.1; // probability to settle
constexpr double CALM = 0.25, STORM = 3.0; // bounds on the length of a hop

struct Constants {
    double slab, hop, speed_up, lead, drop, climb;
};

// Lines that follow one axis and step aside where the wind has deviated by a cell.
struct Rays {
    bool along_row, forward;
    double aside, phase;
    int64_t rows, cols;

    int64_t length() const { return along_row ? cols : rows; }
    int64_t count() const { return along_row ? rows : cols; }
    int64_t shift(int64_t step) const { return int64_t(std::floor(aside * double(step) + phase)); }

    // Calls visit(step, row, col, whether the line comes in over an edge here) for each cell of a line.
    template <typename Visit> void trace(int64_t number, Visit visit) const
    {
        int64_t side = number, before = 0;
        for (int64_t step = 0; step < length(); ++step) {
            const int64_t moved = shift(step);
            side += moved - before;
            before = moved;
            const bool inside = side >= 0 && side < count();
            if (!inside) side += side < 0 ? count() : -count();
            const int64_t main = forward ? step : length() - 1 - step;
            visit(step, along_row ? side : main, along_row ? main : side, step == 0 || !inside);
        }
    }

    // Cell at a step beyond the end, where the line goes on.
    int64_t cell_beyond(int64_t number, int64_t step) const
    {
        const int64_t place = number + shift(length()) + shift(step - length());
        const int64_t side = ((place % count()) + count()) % count();
        const int64_t main = forward ? step - length() : 2 * length() - 1 - step;
        return along_row ? side * cols + main : main * cols + side;
    }
};

struct Place {
    double rock, loose, top, shade, hop;
};

struct Cell {
    int64_t plain, ringed;
    bool start; // whether the line comes in over an edge here
};

struct Line {
    std::vector<Place> places;
    const Constants &constants;
    uint64_t start = 0, draw = 0;
    double hops = 0;

    bool sheltered(const Place &place) const { return place.top + constants.slab < place.shade; }

    double random() { return uniform(start, draw++); }

    int64_t hop(const Place &place)
    {
        return std::max<int64_t>(int64_t(2.0 * place.hop * random() + 0.5), 1);
    }

    // Grains fly so low that none passes a lee.
    int64_t landing(int64_t at, int64_t to, int64_t last) const
    {
        for (int64_t step = at + 1; step < std::min(to, last); ++step)
            if (sheltered(places[step])) return step;
        return to;
    }

    void change(int64_t at, int64_t last, double amount)
    {
        places[at].loose += amount;
        places[at].top = places[at].rock + places[at].loose;
        double above = std::max(places[at].top, places[at].shade) - constants.drop;
        for (int64_t step = at + 1; step < last && places[step].shade != above; ++step) {
            places[step].shade = above;
            above = std::max(places[step].top, above) - constants.drop;
        }
    }

    // Steps to the landing beyond the end; -1 where the slab has settled.
    int64_t fly(int64_t at, double base, int64_t begin, int64_t last, double load)
    {
        for (;;) {
            hops += 1;
            if (at >= last) return at - last;
            const Place &place = places[at];
            if (place.top - base > constants.climb * constants.hop) { // a wall: it stays at its foot
                int64_t foot = at;
                while (foot > begin && places[foot].top - base > constants.climb) --foot;
                change(foot, last, load);
                return -1;
            }
            const double sand = std::min(place.loose / constants.slab, 1.0);
            const double chance = sheltered(place) ? 1.0 : ROCK + (SAND - ROCK) * sand;
            if (random() < chance) {
                change(at, last, load);
                return -1;
            }
            base = place.top;
            at = landing(at, at + hop(place), last);
        }
    }
};

// As many draws as there are cells from `begin` to `end`; returns what leaves the terrain there.
double blow_from(Line &line, int64_t begin, int64_t end, Edges edges, double *leaving, int64_t beyond)
{
    const int64_t count = end - begin;
    int64_t stride = int64_t((0.25 + 0.5 * line.random()) * double(count));
    while (std::gcd(stride, count) != 1) stride = stride % count + 1;
    stride = std::min(stride, count - 1);
    int64_t at = begin + int64_t(line.random() * double(count));
    double out = 0;
    for (int64_t number = 0; number < count; ++number) {
        at += stride;
        if (at >= end) at -= count;
        const Place &place = line.places[at];
        if (place.loose <= 0.0 || line.sheltered(place)) continue;
        const double load = std::min(line.constants.slab, place.loose), base = place.top;
        const int64_t to = line.landing(at, at + line.hop(place), end);
        line.change(at, end, -load);
        const int64_t gone = line.fly(to, base, begin, end, load);
        if (gone < 0) continue;
        if (edges == WRAP) leaving[std::min(gone, beyond - 1)] += load;
        else if (edges == CLOSED) line.change(end - 1, end, load);
        else out += load;
    }
    return out;
}

} // namespace

// rock, loose: (rows + 2) x (cols + 2); loose is changed in place. bump, blown: rows x cols. entering: height of the shadow at the start of
// each line. leaving: lines x beyond. rays: aside, phase. numbers: the six of Constants. Adds hops and what left the terrain to totals.
extern "C" void blow(const double *rock, double *loose, const double *bump, uint8_t *blown, const double *entering,
    double *leaving, int64_t beyond, int64_t rows, int64_t cols, int64_t along_row, int64_t forward,
    const double *rays_numbers, const double *numbers, int64_t edges, int64_t key, double *totals)
{
    const Rays rays{along_row != 0, forward != 0, rays_numbers[0], rays_numbers[1], rows, cols};
    const Constants constants{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    const int64_t length = rays.length(), lead = int64_t(constants.lead);
    Line line{std::vector<Place>(length), constants};
    std::vector<Cell> cells(length);
    for (int64_t number = 0; number < rays.count(); ++number) {
        rays.trace(number, [&](int64_t step, int64_t row, int64_t col, bool entered) {
            cells[step] = {row * cols + col, (row + 1) * (cols + 2) + col + 1, step == 0 || (entered && edges != WRAP)};
        });
        for (int64_t step = 0; step < length; ++step) {
            Place &place = line.places[step];
            place.rock = rock[cells[step].ringed];
            place.loose = loose[cells[step].ringed];
            place.top = place.rock + place.loose;
            int64_t ahead = step + lead;
            if (ahead < length) ahead = cells[ahead].plain;
            else ahead = edges == WRAP ? rays.cell_beyond(number, ahead) : cells[length - 1].plain;
            const double faster = 1.0 + constants.speed_up * bump[ahead];
            place.hop = constants.hop * std::min(std::max(faster, CALM), STORM);
        }
        line.start = stream(uint64_t(key), uint64_t(number));
        line.draw = 0;
        for (int64_t begin = 0, end; begin < length; begin = end) {
            for (end = begin + 1; end < length && !cells[end].start;) ++end;
            double above = edges == WRAP ? entering[number] : -std::numeric_limits<double>::infinity();
            for (int64_t step = begin; step < end; ++step) {
                line.places[step].shade = above;
                above = std::max(line.places[step].top, above) - constants.drop;
            }
            totals[1] += blow_from(line, begin, end, Edges(edges), leaving + number * beyond, beyond);
        }
        for (int64_t step = 0; step < length; ++step) {
            loose[cells[step].ringed] = line.places[step].loose;
            blown[cells[step].plain] = !line.sheltered(line.places[step]);
        }
    }
    totals[0] += line.hops;
}
