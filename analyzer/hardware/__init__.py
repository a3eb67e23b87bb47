"""What the hardware does: architectures, banks, sectors."""
