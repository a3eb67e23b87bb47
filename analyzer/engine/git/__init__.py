"""What git says of the inputs, with nothing of a repository run, and which lines changed."""
