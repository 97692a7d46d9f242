"""Networks: autoencoder, structure features, look table. Tensors in, tensors out."""
