"""What an address may point to: objects, members, memory spaces."""
