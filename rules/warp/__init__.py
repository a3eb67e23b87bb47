"""WRP: what the lanes of a warp do together: shuffles, votes, member masks, matrix tiles."""
