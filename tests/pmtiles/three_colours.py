"""Made three_colours.pmtiles, with the format's own Python package (pmtiles 3.8.1, BSD-3-Clause):

    python three_colours.py three_colours.pmtiles

All tiles of the zooms 0 to 8 but the westernmost of zoom 8, each of one of three colours by its place.
"""

import struct
import sys
import zlib

from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import write

ZOOM = 8


def png(rgb):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + b"\0" * 32 for _ in range(256))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 1, 3, 0, 0, 0))
        + chunk(b"PLTE", bytes(rgb) + b"\0\0\0")
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def color_of(z, x, y):
    mixed = (x * 73856093 ^ y * 19349663 ^ z * 83492791) & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 13)) * 0x5BD1E995 & 0xFFFFFFFF
    return ((mixed ^ (mixed >> 15)) & 0xFFFFFFFF) % 3


pictures = [png((230, 80, 60)), png((60, 160, 90)), png((70, 90, 220))]
tiles = sorted(
    (zxy_to_tileid(z, x, y), z, x, y)
    for z in range(ZOOM + 1)
    for x in range(1 << z)
    for y in range(1 << z)
    if not (z == ZOOM and x == 0)
)
with write(sys.argv[1]) as archive:
    for number, z, x, y in tiles:
        archive.write_tile(number, pictures[color_of(z, x, y)])
    archive.finalize(
        {
            "tile_type": TileType.PNG,
            "tile_compression": Compression.NONE,
            "min_lon_e7": -1800000000,
            "min_lat_e7": -850000000,
            "max_lon_e7": 1800000000,
            "max_lat_e7": 850000000,
            "center_zoom": 2,
            "center_lon_e7": 0,
            "center_lat_e7": 0,
        },
        {"name": "three colours"},
    )
