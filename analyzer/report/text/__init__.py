"""Text as a terminal shows it: cells, colours, tables, frames of source lines, and differences."""
