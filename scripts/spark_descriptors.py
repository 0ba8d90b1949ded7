#!/usr/bin/env python3
"""Writes the Spark Connect protocol as a FileDescriptorSet, taken from the sources of pyspark-client.

    spark_descriptors.py SOURCE_FOLDER OUTPUT

The client carries its message descriptors as bytes literals in *_pb2.py. This reads the literals; nothing of the client
is imported or run. protoc turns the set into C++ (cmake/connect.cmake), so the messages are those of the client that
Iceblink is tested with. The two google.protobuf files that the protocol imports come from protoc itself.
"""
import ast
import pathlib
import subprocess
import sys
import tempfile


def fields(data):
    """Yields (field number, value) of one protobuf message; values of length-delimited fields are bytes."""
    at = 0

    def varint():
        nonlocal at
        shift = value = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
        elif kind == 2:
            size = varint()
            at += size
            yield tag >> 3, data[at - size:at]
        else:
            raise ValueError(f"wire type {kind} in a FileDescriptorProto")


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def descriptors(source):
    """Returns {file name: (dependencies, FileDescriptorProto bytes)}."""
    found = {}
    for path in sorted((pathlib.Path(source) / "pyspark/sql/connect/proto").glob("*_pb2.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile":
                data = node.args[0].value
                name = next(value for number, value in fields(data) if number == 1).decode()
                found[name] = ([value.decode() for number, value in fields(data) if number == 3], data)
    return found


def well_known(names):
    """Returns the FileDescriptorProtos of google/protobuf/*.proto, in order of dependency."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "set"
        subprocess.run(["protoc", "-I/usr/include", "--include_imports", f"--descriptor_set_out={out}", *names], check=True)
        return [value for number, value in fields(out.read_bytes()) if number == 1]


def main():
    found = descriptors(sys.argv[1])
    outside = sorted({name for needs, _ in found.values() for name in needs if name not in found})
    ordered, done = well_known(outside), set(outside)

    def add(name):
        if name not in done:
            done.add(name)
            for need in found[name][0]:
                add(need)
            ordered.append(found[name][1])

    for name in sorted(found):
        add(name)
    with open(sys.argv[2], "wb") as out:
        for data in ordered:
            out.write(b"\x0a" + varint(len(data)) + data)
    print(f"spark_descriptors: {len(ordered)} files")


main()
