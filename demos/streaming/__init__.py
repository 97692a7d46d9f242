"""The picture as a live stream for many: H.264 over RTMP, out of the way of whoever draws it."""
