"""What a translation unit declares, as far as the text alone says."""
