"""The server of the moving view answers this machine, with its page and nothing else."""

import http.client
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

import lissom as ls
from lissom.viz.view import server
from tests.samples.motions_to_view import bending_run


@pytest.fixture
def view():
    with bending_run().view(browser=False, title="served") as found:
        yield found


def answer(view, path=None, method="GET", host=None):
    at = urlsplit(view.url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=5)
    headers = {} if host is None else {"Host": host}
    connection.request(method, at.path if path is None else path, headers=headers)
    reply = connection.getresponse()
    found = reply.status, reply.read().decode(), dict(reply.getheaders())
    connection.close()
    return found


def test_the_page_is_there(view):
    status, text, headers = answer(view)
    assert status == 200 and "<title>served</title>" in text
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/index.html", "/etc/passwd", "/../../etc/passwd", "/x/"])
def test_other_paths_are_not_found(view, path):
    status, text, _ = answer(view, path)
    assert status == 404
    assert "served" not in text and "href" not in text


def test_paths_below_the_page_are_not_found(view):
    page = urlsplit(view.url).path
    for path in (f"{page}data", f"{page}../", f"{page}?x=1"):
        assert answer(view, path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
def test_other_methods_are_refused(view, method):
    assert answer(view, method=method)[0] == 501


def test_other_names_of_this_machine_are_refused(view):
    """A page elsewhere cannot reach this one through a name that it points here."""
    assert answer(view, host="example.org")[0] == 403
    assert answer(view, host=f"localhost:{urlsplit(view.url).port}")[0] == 200


def test_it_listens_on_loopback_only(view):
    at = urlsplit(view.url)
    assert at.hostname == "127.0.0.1"
    assert view._server.socket.getsockname()[0] == "127.0.0.1"
    for other in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}:
        if not other.startswith(("127.", "::1")):
            with pytest.raises(OSError), socket.create_connection((other, at.port), timeout=1):
                pass


def test_every_view_has_its_own_address(view):
    with bending_run().view(browser=False) as other:
        assert urlsplit(other.url).path != urlsplit(view.url).path
        assert answer(other, urlsplit(view.url).path)[0] == 404


def test_closing_stops_it():
    view = bending_run().view(browser=False)
    assert view.url in repr(view)
    view.close()
    view.close()
    assert not view.is_open and "closed" in repr(view)
    with pytest.raises(OSError):
        answer(view)


def test_it_opens_the_browser_unless_told_not_to(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    with bending_run().view(browser=False):
        assert opened == []
    with bending_run().view() as view:
        assert opened == [view.url]


def test_without_a_browser_the_address_is_printed(monkeypatch, capsys):
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    with bending_run().view() as view:
        assert view.url in capsys.readouterr().out


@pytest.mark.parametrize("size", [{"height": 5}, {"height": "tall"}, {"width": 'x"'}])
def test_sizes_of_frames_are_checked(size):
    with pytest.raises(ls.StateError, match=next(iter(size))):
        bending_run().show(**size)


# Connections that say nothing


def is_hung_up_on(connection):
    """Whether the server ends it; a server that waits lets this run out of time."""
    connection.settimeout(5)
    return connection.recv(100) == b""


def connected(view):
    at = urlsplit(view.url)
    return socket.create_connection((at.hostname, at.port), timeout=5)


def test_idle_connections_end(view, monkeypatch):
    monkeypatch.setattr(server, "_ASKING", 0.2)
    with connected(view) as silent, connected(view) as halfway:
        halfway.sendall(b"GET / HTTP/1.0\r\nHost: ")
        assert is_hung_up_on(silent) and is_hung_up_on(halfway)


def test_connections_that_say_a_letter_now_and_then_end(view, monkeypatch):
    monkeypatch.setattr(server, "_ASKING", 0.3)
    with connected(view) as slow:
        slow.settimeout(0.05)
        for _ in range(100):  # a letter each 0.05 s would keep it open for ever
            try:
                slow.sendall(b"G")
                if slow.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("the connection is still open")


def test_many_idle_connections_leave_the_page_alone(view, monkeypatch):
    """Further ones are refused while all places are taken, and welcome again afterwards."""
    monkeypatch.setattr(server, "_ASKING", 60.0)
    many = [connected(view) for _ in range(server._MOST_OPEN + 5)]
    assert is_hung_up_on(many[-1])
    for one in many:
        one.close()
    soon(lambda: answer(view)[0] == 200)
    soon(lambda: len([x for x in threading.enumerate() if "process_request" in x.name]) < 5)


def soon(holds):
    """Wait until something holds; a machine may be busy."""
    for _ in range(400):
        try:
            if holds():
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.05)
    pytest.fail("it does not come to hold")
