"""The streaming diffusion renderer. Class maps and a look in, pictures out. No engine, no sockets."""
