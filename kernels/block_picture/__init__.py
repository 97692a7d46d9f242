"""Block picture: the decoder's last step, from a vector for each 4×4 block to the pixels of the picture."""
