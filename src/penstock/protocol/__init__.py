"""The protocol between clients and servers: frames, numbers, codecs. It knows neither engine nor loop."""
