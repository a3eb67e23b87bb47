"""What rules of several families say in the same words, and where barriers are put."""
