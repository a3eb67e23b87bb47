"""The page of `--format html`: overview, source with marks; maps and curves as SVG; no script."""
