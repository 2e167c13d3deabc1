"""The cache folder does not grow for ever."""

import os

from exactops.runtime import object_cache as cache


def test_the_longest_unused_kernels_go(tmp_path, monkeypatch):
    monkeypatch.setenv("EXACTOPS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "KERNEL_LIMIT", 20)
    cache._prune.cache_clear()
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    for age in range(25):
        path = folder / f"kernel-{age:02d}"
        path.write_bytes(b"x")
        os.utime(path, (1e9 - age, 1e9 - age))
    cache.save("fresh", b"code")
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(["fresh", *(f"kernel-{age:02d}" for age in range(10))])
    assert cache.load("fresh") == b"code"
    cache._prune.cache_clear()
