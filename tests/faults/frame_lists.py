"""What the lists of frames in the output folder of a run have, in either format: potential.pvd and potential.case."""
import re
import xml.etree.ElementTree


def listed_files(output):
    """The bytes of the files of all listed frames, by their times and names. Raises where one is not there or not whole."""
    return {**files_of_pvd(output), **files_of_case(output)}


def files_of_pvd(output):
    pvd = output / "potential.pvd"
    if not pvd.exists():
        return {}
    root = xml.etree.ElementTree.fromstring(pvd.read_text())
    files = {(data.get("timestep"), data.get("file")): (output / data.get("file")).read_bytes()
             for data in root.iter("DataSet")}
    for name, content in files.items():
        if not content.rstrip().endswith(b"</VTKFile>") or b"nan" in content.lower()[:2000]:
            raise ValueError(f"{name} is not whole")
    return files


def files_of_case(output):
    case = output / "potential.case"
    if not case.exists():
        return {}
    text = case.read_text()
    steps = int(re.search(r"^number of steps: (\d+)$", text, re.MULTILINE)[1])
    times = text.split("time values:\n")[1].split("\n")
    if len(times) != steps + 1 or times.pop():
        raise ValueError(f"{case}: {len(times)} times for {steps} steps")
    geometry = (output / "frames" / "mesh.geo").read_bytes()
    nodes = int.from_bytes(geometry[644:648], "little")  # after eight words of 80 bytes and the number of the part
    after = 648 + 12 * nodes
    elements = int.from_bytes(geometry[after + 80:after + 84], "little")
    corners = 10 if geometry[after:after + 7] == b"tetra10" else 4
    if len(geometry) != after + 84 + 4 * corners * elements:
        raise ValueError("mesh.geo is not whole")
    files = {}
    for kind, place, name in re.findall(r"^(\w+) per (\w+): (?:1 )?\w+ (\S+)$", text, re.MULTILINE):
        size = 244 + 4 * (nodes if place == "node" else elements) * (3 if kind == "vector" else 1)
        for number in range(steps) if "*" in name else [None]:
            file = name if number is None else name.replace("******", f"{number:06}")
            files[times[number or 0], file] = content = (output / file).read_bytes()
            if len(content) != size:
                raise ValueError(f"{file} has {len(content)} bytes in place of {size}")
    return files
