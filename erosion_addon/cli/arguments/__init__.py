# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the command line: options, help texts and parsing."""

import argparse

from .heightmaps import add_analyze, add_convert, add_rivers
from .landscapes import add_landscape
from .options import Parser
from .rendering import add_render
from .runs import add_erode, add_make, add_resume, add_variants


def parser(program: str) -> argparse.ArgumentParser:
    """Parser of the command line; `command` is the name of the sub-command. InputError for bad
    usage.
    """
    top = Parser(prog=program, description="Erode terrain heightmaps.")
    commands = top.add_subparsers(metavar="COMMAND", dest="command", required=True)
    add_erode(commands)
    add_resume(commands)
    add_make(commands)
    add_convert(commands)
    add_analyze(commands)
    add_rivers(commands)
    add_variants(commands)
    add_landscape(commands)
    add_render(commands)
    recipes = commands.add_parser("recipes", help="list the recipes, or print one as TOML")
    recipes.add_argument("name", metavar="NAME", nargs="?", help="recipe to print")
    commands.add_parser("fields", help="list the fields")
    return top
