"""Text as a terminal shows it: cells, colours, tables, and the frames of source lines."""
