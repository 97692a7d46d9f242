"""RMS norm, gain and SiLU over the last axis: what stands before every 3×3 convolution of the decoder."""
