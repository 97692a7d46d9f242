"""Operations that deserve a fast path: one folder each, with a plain twin, a parity test and a benchmark."""
