"""ASY: copies to shared memory that go on by themselves."""
