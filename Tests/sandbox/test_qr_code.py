"""The sandbox's QR codes, as a reader that is not ours takes them."""

from __future__ import annotations

import subprocess
import sys
import unittest

from harness import PROGRAM, TIMEOUT

sys.path.append(str(PROGRAM.parent))

from qr_code import png


def said_by(image: bytes) -> str:
    """What a QR code says."""
    command = ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "PNG:-"]
    told = subprocess.run(command, input=image, capture_output=True, timeout=TIMEOUT, check=True)
    return told.stdout.decode().rstrip("\n")


class QRCodeTests(unittest.TestCase):
    def test_each_version_up_to_its_last_byte(self) -> None:
        text = "http://127.0.0.1:8801/wallet/pay_" + "0123456789abcdef" * 8
        for count in (1, 17, 18, 32, 33, 53, 54, 78, 79, 106, 107, 134):
            with self.subTest(count):
                self.assertEqual(said_by(png(text[:count])), text[:count])

    def test_one_byte_too_many(self) -> None:
        self.assertRaises(ValueError, png, "x" * 135)


if __name__ == "__main__":
    unittest.main()
