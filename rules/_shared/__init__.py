"""What rules of several families say in the same words, proposed barriers among it."""
