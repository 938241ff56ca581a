"""'varimesh serve' and from_umbridge against UM-Bridge's own package, and under abuse."""

import http.client
import json
import socket
import subprocess
import threading

import numpy as np
import pytest

import varimesh
from varimesh import priors

umbridge = pytest.importorskip("umbridge")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
def server(rod, program):
    """A served problem: its address."""
    port = free_port()
    process = subprocess.Popen([program, "serve", rod, "--port", str(port), "--connections", "8"], stdout=subprocess.PIPE,
                               text=True)
    assert "serving forward" in process.stdout.readline()
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    assert process.wait(timeout=30) == 0


def test_the_official_client_evaluates_our_server(server, rod):
    forward = umbridge.HTTPModel(server, "forward")
    assert forward.get_input_sizes() == [12] and forward.get_output_sizes() == [9]
    x = np.linspace(-0.5, 0.5, 12).tolist()
    prediction = forward([x])[0]
    h, v = 1e-5, np.cos(np.arange(12))
    ahead, behind = (np.array(forward([(np.array(x) + s * h * v).tolist()])[0]) for s in (1, -1))
    jv = forward.apply_jacobian(0, 0, [x], v.tolist())
    np.testing.assert_allclose(jv, (ahead - behind) / (2 * h), atol=1e-9)
    w = np.sin(np.arange(9))
    assert np.dot(forward.gradient(0, 0, [x], w.tolist()), v) == pytest.approx(np.dot(w, jv), rel=1e-10)
    posterior = umbridge.HTTPModel(server, "posterior")
    assert posterior.supports_gradient() and posterior.supports_apply_hessian()
    assert len(prediction) == 9 and np.isfinite(posterior([x])[0][0])


def test_our_client_finds_the_posterior_of_our_server(server, rod):
    here = varimesh.run(rod, method="fcvb")
    model = varimesh.from_umbridge(server, "forward")
    x = (np.arange(12) + 0.5) / 12
    prior = priors.gaussian_process(x, length_scale=0.3, sigma=0.5)
    points = np.linspace(0.1, 0.9, 9)
    there = varimesh.infer(model, prior, data=points * (1 - points) / 2, sigma=0.01, method="fcvb")
    # Two runs of one optimiser, which ends when 0.005 nats are left: means agree to about 0.1 sds.
    assert np.all(abs(there.approximation.mean - here.approximation.mean) < 0.1 * here.approximation.sd)


def test_a_log_density_of_the_official_server_is_sampled(tmp_path):
    """The banana of the UM-Bridge benchmarks' kind, rebuilt from its formula: y_1 = x_1 / 2, y_2 = 2 x_2 + (x_1^2 + 4) / 5
    is N((0, 4), diag(1, 1/2)) in y, so that E x_1 = 0 and var x_1 = 4."""
    port = free_port()
    script = tmp_path / "banana.py"
    script.write_text(f"""
import umbridge
class Banana(umbridge.Model):
    def __init__(self): super().__init__("posterior")
    def get_input_sizes(self, config): return [2]
    def get_output_sizes(self, config): return [1]
    def supports_evaluate(self): return True
    def supports_gradient(self): return True
    def parts(self, x):
        return x[0] / 2, 2 * x[1] + 0.2 * (x[0] ** 2 + 4) - 4
    def __call__(self, parameters, config):
        a, b = self.parts(parameters[0])
        return [[-0.5 * a * a - b * b]]
    def gradient(self, out_wrt, in_wrt, parameters, sens, config):
        a, b = self.parts(parameters[0])
        return [sens[0] * (-0.5 * a - 2 * b * 0.4 * parameters[0][0]), sens[0] * (-4 * b)]
umbridge.serve_models([Banana()], {port})
""")
    import sys

    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        model = varimesh.from_umbridge(f"http://127.0.0.1:{port}", "posterior", log_density=True)
        # A prior so wide that it hardly matters: it takes 4/20^2 = 1 % of the variance.
        result = varimesh.infer(model, priors.independent(np.zeros(2), 20.0), method="nuts", seed=2,
                                set={"method.chains": {"draws": 250, "warmup": 250, "chains": 2, "scale": "diagonal"}})
    finally:
        process.kill()
    x = result.draws.reshape(-1, 2)
    ess = result.summary["ess_bulk"].min()
    assert ess > 50
    assert abs(x[:, 0].mean()) < 5 * 2 / np.sqrt(ess)
    assert abs((2 * x[:, 1] + 0.2 * (x[:, 0] ** 2 + 4)).mean() - 4) < 5 * np.sqrt(0.5 / ess)
    assert x[:, 0].std() == pytest.approx(2, rel=5 / np.sqrt(2 * ess))


def ask(server, path, body, connection=None):
    connection = connection or http.client.HTTPConnection(server.removeprefix("http://"))
    connection.request("POST", path, body)
    response = connection.getresponse()
    return response.status, response.read()


def test_garbage_half_requests_and_huge_bodies_leave_the_server_at_work(server):
    host, port = server.removeprefix("http://").split(":")
    good = json.dumps({"name": "forward", "input": [[0.0] * 12]})
    expected = ask(server, "/Evaluate", good)
    assert expected[0] == 200
    for body in ("", "{", "[[[[", '{"name": 1e999}', "\x00" * 1000, '{"name": "forward", "input": [[1]]}'):
        assert ask(server, "/Evaluate", body)[0] == 400
    assert ask(server, "/" + "x" * 5000, "{}")[0] in (404, 414)
    for bytes_ in (b"\x00\xff" * 500, b"POST /Evaluate HTTP/1.1\r\nContent-Length: 100\r\n\r\n{", b"GET\r\n\r\n",
                   b"POST /Evaluate HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n" + b"x" * 10000):
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(bytes_)
    assert ask(server, "/Evaluate", good) == expected


def test_bodies_without_a_length_or_compressed_are_limited_too(server):
    host, port = server.removeprefix("http://").split(":")
    megabyte = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(b"POST /Evaluate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + 65 * megabyte + b"0\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_two_servers_do_not_share_a_port(server, rod, program):
    port = server.rsplit(":", 1)[1]
    second = subprocess.run([program, "serve", rod, "--port", port], capture_output=True, text=True, timeout=60)
    assert second.returncode != 0 and "cannot listen" in second.stderr


def test_eight_clients_at_once_all_get_the_right_answers(server):
    faults = []

    def client(seed):
        connection = http.client.HTTPConnection(server.removeprefix("http://"))
        for k in range(50):
            x = np.random.default_rng([seed, k]).normal(size=12).tolist()
            status, body = ask(server, "/Evaluate", json.dumps({"name": "log_likelihood", "input": [x]}), connection)
            again = ask(server, "/Evaluate", json.dumps({"name": "log_likelihood", "input": [x]}), connection)[1]
            if status != 200 or body != again:
                faults.append(body)

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_faults_of_a_server_come_with_its_words(server):
    with pytest.raises(RuntimeError, match="ModelNotFound: no model 'nobody', expected one of 'forward'"):
        varimesh.from_umbridge(server, "nobody")
    with pytest.raises(varimesh.InputError, match="expected http://host:port"):
        varimesh.from_umbridge("localhost:4242", "forward")
    with pytest.raises(RuntimeError, match="no answer for 0 s"):
        varimesh.from_umbridge(f"http://127.0.0.1:{free_port()}", "forward", patience=0)
