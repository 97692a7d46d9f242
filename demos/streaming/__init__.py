"""The picture as a live stream for many: over RTMP to a server, over WebRTC on a page of our own; in nobody's way."""
