"""make_npy.py FILE TYPE SHAPE VALUES: writes an array, such as make_npy.py x.npy f4 2,2 1,2,3,4."""
import struct
import sys

file, kind, shape, values = sys.argv[1:]
header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({shape},), }}".ljust(117) + "\n"
code = {"f4": "f", "i8": "q"}[kind]
convert = float if code == "f" else int
with open(file, "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(b"".join(struct.pack("<" + code, convert(v)) for v in values.split(",")))
