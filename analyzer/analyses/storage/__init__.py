"""Variables read before they are written, spilled registers, memory of the device heap."""
