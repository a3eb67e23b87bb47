"""What reads C++ types off the syntax tree (of libraries, too) and their sizes, constants, template
arguments and packs as written, which function a name or a pointer names."""
