"""Certificates for a sandbox that serves https: an authority of our own, and what it signs."""

from __future__ import annotations

import subprocess
from pathlib import Path

_DAYS = "2"


class Authority:
    """A certificate authority that nobody trusts unless told to."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._name = name
        self.certificate, self._key = directory / f"{name}.pem", directory / f"{name}.key"
        _openssl(
            "req", "-x509", *_new_key(self._key), "-days", _DAYS, "-subj", f"/CN={name}",
            "-addext", "keyUsage=critical,keyCertSign", "-out", self.certificate,
        )  # fmt: skip

    def sign(self, name: str, address: str, *, days: str = _DAYS) -> tuple[Path, Path]:
        """The files of a certificate for an address, as in `IP:127.0.0.1`, and of its key."""
        certificate, key = self._directory / f"{name}.pem", self._directory / f"{name}.key"
        request, extensions = self._directory / f"{name}.csr", self._directory / f"{name}.ext"
        extensions.write_text(f"subjectAltName={address}\n")
        _openssl("req", *_new_key(key), "-subj", f"/CN={name}", "-out", request)
        _openssl(
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
            "-days", days, "-extfile", extensions, "-out", certificate,
        )  # fmt: skip
        return certificate, key


def _new_key(path: Path) -> list[str | Path]:
    return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path]


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
