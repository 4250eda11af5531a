"""Serves a GGUF model over both protocols on loopback: serve.py MODEL. Prints the address first."""

import socket
import sys
import time

import xllamacpp

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 8192
params.n_parallel = 1
# A model that does not know where to stop is stopped.
params.n_predict = 64
params.use_jinja = True
params.cpuparams.n_threads = 2
params.hostnames = ["127.0.0.1"]
params.port = port
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
