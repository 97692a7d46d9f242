"""The model behind the socket: sessions of ``diffusion_render`` as renderers of ``render_bridge``."""
