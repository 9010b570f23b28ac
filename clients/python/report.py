"""What the tests of this folder share: counting, and comparing."""

import sys
import traceback


class Report:
    """Counts what held, and prints the rest."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    async def run(self, title, test):
        try:
            await test()
        except Exception:  # one broken check must not hide the next
            self.failed += 1
            print(f"not ok - {title}")
            traceback.print_exc(limit=2, file=sys.stdout)
        else:
            self.passed += 1
            print(f"ok - {title}")


def equal(seen, wanted):
    if seen != wanted:
        raise AssertionError(f"expected {wanted!r}, got {seen!r}")
