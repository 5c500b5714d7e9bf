// SPDX-License-Identifier: GPL-3.0-or-later
// Job type for Flamenco 3: erodes a landscape of Terrain Erosion, a task for each tile.
//
// Copy it into the folder `scripts` of the Flamenco Manager. The landscape lies where all workers see it under the same
// path, and each of them has the same version of the extension for its Python.

const JOB_TYPE = {
    label: "Terrain Erosion: Landscape",
    settings: [
        { key: "folder", type: "string", subtype: "dir_path", required: true,
            description: "Folder of the landscape" },
        { key: "rows", type: "int32", required: true, description: "Tiles along y" },
        { key: "cols", type: "int32", required: true, description: "Tiles along x" },
        { key: "recipe", type: "string", default: "alpine", required: true,
            description: "Name of a recipe, or the path of a TOML file" },
        { key: "seed", type: "int32", default: -1, description: "Seed; below 0: the recipe's" },
        { key: "threads", type: "int32", default: 0, description: "Threads of each task; 0: all" },
        { key: "python", type: "string", default: "python3", required: true,
            description: "Python of the workers that has Terrain Erosion" },
    ],
};

// Color of a tile: neighbors differ, and a tile goes on from what those of earlier colors have left.
function colorOf(x, y) {
    return 2 * (y % 2) + x % 2;
}

function compileJob(job) {
    const { folder, rows, cols, recipe, seed, threads, python } = job.settings;
    const order = ["--recipe", recipe].concat(seed < 0 ? [] : ["--seed", String(seed)]);
    const tasks = {};

    function add(name, words, needs) {
        const task = author.Task(name, "misc");
        task.addCommand(author.Command("exec", {
            exe: python,
            args: ["-m", "erosion_addon", "landscape"].concat(words),
        }));
        for (const need of needs) {
            task.addDependency(tasks[need]);
        }
        tasks[name] = task;
        job.addTask(task);
    }

    function addTile(name, needs) {
        const words = ["task", folder, name].concat(threads > 0 ? ["--threads", String(threads)] : []);
        add(name, words, needs);
    }

    function around(kind, x, y, wanted) {
        const found = [];
        for (let row = Math.max(y - 1, 0); row <= Math.min(y + 1, rows - 1); row++) {
            for (let col = Math.max(x - 1, 0); col <= Math.min(x + 1, cols - 1); col++) {
                if (wanted(col, row)) {
                    found.push(`${kind}_x${col}_y${row}`);
                }
            }
        }
        return found;
    }

    function forTiles(work) {
        for (let y = 0; y < rows; y++) {
            for (let x = 0; x < cols; x++) {
                work(x, y);
            }
        }
    }

    add("prepare", ["tasks", folder].concat(order), []);
    addTile("coarse", ["prepare"]);
    for (let color = 0; color < 4; color++) {
        forTiles((x, y) => {
            if (colorOf(x, y) === color) {
                const before = around("shape", x, y, (col, row) => colorOf(col, row) < color);
                addTile(`shape_x${x}_y${y}`, ["coarse"].concat(before));
            }
        });
    }
    forTiles((x, y) => addTile(`cover_x${x}_y${y}`, around("shape", x, y, () => true)));
    forTiles((x, y) => addTile(`finish_x${x}_y${y}`, around("cover", x, y, () => true)));
    const finished = [];
    forTiles((x, y) => finished.push(`finish_x${x}_y${y}`));
    add("complete", ["erode", folder].concat(order), finished);
}
