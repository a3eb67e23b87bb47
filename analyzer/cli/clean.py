"""`warplint clean`: remove what is kept between runs."""

from __future__ import annotations

import click


@click.command("clean", short_help="Remove stored results.")
def command() -> int:
    """Remove the results and tables that are stored between runs.

    They are in $WARPLINT_CACHE_DIR, or in `warplint` in the user's cache folder, take at most 256
    MB, and are regenerated when needed. Other files in that folder are not touched.
    """
    from ...grammars.stored import cache_folder, clean
    from ..source.words import plural
    from .shared.output import write_report

    count, size = clean()
    write_report(f"removed {plural(count, 'file')} ({size:,} bytes) of {cache_folder()}\n", None)
    return 0
