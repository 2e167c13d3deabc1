"""Interpreters of other machines and versions, made of Debian's packages and Python's wheels; the system stays as it is."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


class Unavailable(Exception):
    """What was asked for cannot be set up here; the text says why."""


def run(command: Sequence[str], **options: object) -> str:
    """Run a program of the set-up; where it fails, what is being set up cannot be had here."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    except OSError as error:
        raise Unavailable(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise Unavailable(f"{' '.join(command[:3])} …: {lines[-1]}")
    return str(done.stdout)


def check_debian() -> None:
    """Refuse other systems before anything is made."""
    if platform.system() != "Linux" or not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise Unavailable("this is no Debian")


def unpack(folder: Path, names: Iterable[str], architecture: str = "", suite: str = "") -> Path:
    """Download packages and all that they depend on, and unpack them.

    apt works on lists and a package status of its own in the folder. Nothing is installed.

    Parameters
    ----------
    folder : Path
    names : iterable of str
    architecture : str
        Debian's name of another architecture than this machine's.
    suite : str
        Another suite than those that the system is made of, from the same mirror.

    Returns
    -------
    Path
        The root of the unpacked files.
    """
    check_debian()
    packages, system = folder / "packages", folder / "system"
    for each in (folder / "lists" / "partial", packages / "partial", system):
        each.mkdir(parents=True, exist_ok=True)
    status = folder / "status"
    status.touch()
    apt = [
        "apt-get", "-qq", "-oAPT::Sandbox::User=root", "-oDebug::NoLocking=true", f"-oDir::State::Lists={folder / 'lists'}",
        f"-oDir::State::Status={status}", "-oDir::Cache::pkgcache=", "-oDir::Cache::srcpkgcache=",
        f"-oDir::Cache::Archives={packages}",
    ]  # fmt: skip
    if architecture:
        apt += [f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures={architecture}"]
    if suite:
        sources = folder / "sources.list"
        sources.write_text(f"{_source()} {suite} main\n", encoding="utf-8")
        apt += [f"-oDir::Etc::SourceList={sources}", "-oDir::Etc::SourceParts=-"]
    run([*apt, "update"])
    run([*apt, "install", "-y", "--download-only", "--no-install-recommends", *names])
    for package in sorted(packages.glob("*.deb")):
        run(["dpkg", "-x", str(package), str(system)])
    return system


def _source() -> str:
    """The mirror of this system's own release, as a line of sources.list begins, with the key that the archive is signed by."""
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        system = {}
    codename = system.get("VERSION_CODENAME", "")
    targets = run(["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"])
    mirrors = [line.split()[1] for line in targets.splitlines() if codename and line.startswith(f"{codename} ")]
    if system.get("ID") != "debian" or not mirrors:
        raise Unavailable("apt has no mirror of Debian's own packages")
    keys = sorted(Path("/usr/share/keyrings").glob("debian-archive-keyring.*"))
    return f"deb [signed-by={keys[0]}] {mirrors[0]}" if keys else f"deb {mirrors[0]}"


def install_wheels(folder: Path, requirements: Iterable[str], version: str, machine: str, dependencies: bool = True) -> None:
    """Put the wheels of a CPython version on a machine into a folder, with what they depend on or without."""
    platforms = [
        *(f"{name}_{machine}" for name in ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")),
        "any",
    ]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(folder), "--upgrade"]
    pip += ["--only-binary=:all:", "--implementation=cp", f"--python-version={version}"]
    pip += [f"--platform={each}" for each in platforms]
    # Byte code would be this interpreter's; root is warned of an installation that changes nothing of the system's.
    pip += ["--no-compile", "--root-user-action=ignore", *([] if dependencies else ["--no-deps"])]
    run([*pip, *requirements], env={**os.environ, "PYTHONPATH": ""})
