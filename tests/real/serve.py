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
params.use_jinja = True
# Threads of the server wait for each other: on a busy machine two are ten times slower than one.
params.cpuparams.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = port
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
