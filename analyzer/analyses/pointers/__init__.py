"""What an address may point to: objects, members, memory spaces, what is gone by then; whether
data, a thread's index or something unknown makes a value (provenance); what an access means in
the memory model."""
