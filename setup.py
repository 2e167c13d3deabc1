"""What pyproject.toml cannot say: a built package carries the proofs and fingerprints that a checkout keeps in ``testdata``."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
RECORDS = ("proofs.json", "fingerprints.json")


class BuildWithRecords(build_py):
    """Copy the records into the package; an editable installation reads those of the checkout."""

    def run(self):
        super().run()
        for name, target in self._targets():
            self.mkpath(str(target.parent))
            self.copy_file(str(ROOT / "testdata" / name), str(target))

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), *(str(target) for _, target in self._targets())]

    def _targets(self):
        if self.editable_mode:
            return []
        folder = Path(self.build_lib) / "exactops" / "records"
        return [(name, folder / name) for name in RECORDS if (ROOT / "testdata" / name).is_file()]


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithRecords})
