"""`warplint clean`: remove what is kept between runs."""

from __future__ import annotations

import click


@click.command("clean", short_help="Remove stored results.")
def command() -> int:
    """Remove the results and tables that are kept between runs.

    They lie in $WARPLINT_CACHE_DIR, else in `warplint` in the user's cache folder, take 256 MB at
    most, and are made again when they are needed. Other files in that folder are left alone.
    """
    from ...grammars.stored import cache_folder, clean
    from ..source.words import plural
    from .shared.output import write_report

    count, size = clean()
    write_report(f"removed {plural(count, 'file')} ({size:,} bytes) of {cache_folder()}\n", None)
    return 0
