"""What PyInstaller does not see by itself: modules that are imported by name, and the package's data."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

#: The operators' modules are found by looking at their folder, and much else is imported where it is first needed.
hiddenimports = collect_submodules(
    "exactops",
    filter=lambda name: "__pyinstaller" not in name,
    on_error="ignore",  # modules that need an extra which is not installed
)
#: The records, the schema of contracts, the markers of types; what Numba finds its extensions by.
datas = collect_data_files("exactops") + copy_metadata("exactops")
#: Sources too: the keys of compiled kernels and the digests in contracts are made of them.
module_collection_mode = "pyz+py"
