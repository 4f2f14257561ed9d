"""What an interrupted command says is kept."""

from __future__ import annotations

import signal

import pytest

from endoxa import commands


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["probe", "qa"], "Finished work is kept. Run the same command again to continue."),
        (["build", "qa"], "Nothing was finished"),
    ],
)
def test_only_a_command_with_a_journal_promises_to_continue(command, said, monkeypatch, capsys):
    def stop(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", ["endoxa", *command])
    monkeypatch.setattr(commands, "app", stop)
    terminated = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as end:
            commands.main()
    finally:
        signal.signal(signal.SIGTERM, terminated)
    assert end.value.code == 2
    assert said in capsys.readouterr().err
