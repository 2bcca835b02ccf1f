"""pvbatch check_and_render.py RUN_DIRECTORY [PICTURE.png [TIME_MS]]

Opens potential.pvd, or potential.case, and maps.vtu of a run as a person would, checks times, arrays and ranges, and renders the activation
map, with fibers as lines, beside the potential at TIME_MS (by default the middle frame). Exits 1 with a message for what is wrong.
"""
import math
import os
import sys

from paraview import servermanager, simple

FRAME_POINT_ARRAYS = {"potential": (1, -110.0, 100.0)}  # name: (components, lowest, highest value)
FRAME_CELL_ARRAYS = {"fiber": (3, -1.000001, 1.000001), "region": (1, -math.inf, math.inf)}
# The states of the cell models, of which a run has those of one model: docs/method/cell_models.md.
STATES = [{"recovery": (1, -1.0, 10.0)}, {"h": (1, -0.01, 1.01)}, {name: (1, -0.01, 1.1) for name in ("v", "w", "s")}]
MAP_POINT_ARRAYS = {"activation_time": (1, -1.0, math.inf), "apd90": (1, -1.0, math.inf)}
MAP_CELL_ARRAYS = FRAME_CELL_ARRAYS


def expect(condition, message):
    if not condition:
        sys.exit(f"check_and_render.py: {message}")


def check_arrays(where, attributes, tuples, expected):
    for name, (components, lowest, highest) in expected.items():
        array = attributes.GetArray(name)
        present = [attributes.GetArrayName(i) for i in range(attributes.GetNumberOfArrays())]
        expect(array is not None, f"{where}: no array '{name}' among {present}")
        expect(array.GetNumberOfComponents() == components,
               f"{where}: '{name}' has {array.GetNumberOfComponents()} components, expected {components}")
        expect(array.GetNumberOfTuples() == tuples,
               f"{where}: '{name}' has {array.GetNumberOfTuples()} values, expected {tuples}")
        for component in range(components):
            low, high = array.GetRange(component)
            expect(lowest <= low <= high <= highest,
                   f"{where}: '{name}' ranges from {low} to {high}, expected within {lowest} to {highest}")


def check_grid(where, grid, point_arrays, cell_arrays):
    expect(grid.GetNumberOfCells() > 0, f"{where}: no cells")
    check_arrays(where, grid.GetPointData(), grid.GetNumberOfPoints(), point_arrays)
    check_arrays(where, grid.GetCellData(), grid.GetNumberOfCells(), cell_arrays)
    types = {grid.GetCellType(cell) for cell in range(grid.GetNumberOfCells())}
    expect(len(types) == 1, f"{where}: cells of types {types}, expected one")
    return grid.GetNumberOfPoints(), grid.GetNumberOfCells(), types.pop()


def open_frames(directory):
    """The frames of a run, of whichever format, and the name of their list."""
    readers = {"potential.pvd": lambda file: simple.PVDReader(FileName=file),
               "potential.case": lambda file: simple.MergeBlocks(Input=simple.EnSightReader(CaseFileName=file), MergePoints=0)}
    present = [name for name in readers if os.path.isfile(os.path.join(directory, name))]
    expect(len(present) == 1, f"{directory} has {' and '.join(present) or 'none'} of {', '.join(readers)}, expected one")
    return readers[present[0]](os.path.join(directory, present[0])), present[0]


def check_frames(frames, name):
    frames.UpdatePipelineInformation()
    times = list(frames.TimestepValues if hasattr(frames, "TimestepValues") else frames.Input.TimestepValues)
    expect(len(times) >= 2, f"{name}: {len(times)} time values, expected at least 2")
    expect(times[0] == 0, f"{name} starts at {times[0]} ms, expected 0")
    expect(all(a < b for a, b in zip(times, times[1:])), f"{name}: times do not ascend: {times}")
    sizes, ranges = set(), set()
    for time in times:
        frames.UpdatePipeline(time)
        grid = servermanager.Fetch(frames)
        states = [model for model in STATES if any(grid.GetCellData().HasArray(name) for name in model)]
        expect(len(states) == 1, f"frame at {time} ms: the states of {len(states)} cell models, expected one")
        sizes.add(check_grid(f"frame at {time} ms", grid, FRAME_POINT_ARRAYS, {**FRAME_CELL_ARRAYS, **states[0]}))
        ranges.add(grid.GetPointData().GetArray("potential").GetRange())
    expect(len(sizes) == 1, f"the frames differ in (points, cells, type of cells): {sizes}")
    expect(len(ranges) > 1, f"the potential is the same in all {len(times)} frames: {ranges}")
    return times, sizes.pop()


def show(view, source, array, preset, title, lowest, highest):
    display = simple.Show(source, view)
    display.Ambient, display.Diffuse, display.Specular = 0.25, 0.8, 0.1  # dark colors keep the shape visible
    simple.ColorBy(display, ("POINTS", array))
    colors = simple.GetColorTransferFunction(array)
    colors.ApplyPreset(preset, True)
    colors.RescaleTransferFunction(lowest, max(highest, lowest + 1e-6))
    bar = simple.GetScalarBar(colors, view)
    bar.Title, bar.ComponentTitle = title, ""
    bar.TitleColor = bar.LabelColor = [0.1, 0.1, 0.1]
    bar.TitleFontSize = bar.LabelFontSize = 18
    bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.0f", "%.0f"
    bar.ScalarBarLength, bar.WindowLocation = 0.5, "Lower Right Corner"
    display.SetScalarBarVisibility(view, True)
    return colors


def new_view(width, height):
    view = simple.CreateView("RenderView")
    view.ViewSize = [width, height]
    view.UseColorPaletteForBackground = 0
    view.Background = [1.0, 1.0, 1.0]
    view.OrientationAxesVisibility = 0
    return view


def aim(view):
    """From the front and slightly above, the z axis of the heart upwards."""
    view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = [0.35, -1.0, 0.35], [0, 0, 0], [0, 0, 1]
    view.CameraParallelProjection = 1
    simple.ResetCamera(view)
    view.CameraParallelScale *= 0.75


def show_fibers(view, maps):
    """Short lines along the fibers of elements at the surface, where there are fibers."""
    maps.UpdatePipeline()
    if maps.CellData["fiber"].GetRange(-1)[1] == 0:
        return
    centers = simple.CellCenters(Input=simple.ExtractSurface(Input=maps), VertexCells=1)
    lines = simple.Glyph(Input=centers, GlyphType="Line", OrientationArray=["POINTS", "fiber"],
                         ScaleArray=["POINTS", "No scale array"], ScaleFactor=3.0, GlyphMode="Every Nth Point", Stride=4)
    display = simple.Show(lines, view)
    display.ColorArrayName = [None, ""]
    display.DiffuseColor = display.AmbientColor = [0.0, 0.0, 0.0]
    display.LineWidth = 2


def render(maps, frames, time, picture):
    left, right = new_view(800, 800), new_view(800, 800)
    latest = maps.PointData["activation_time"].GetRange()[1]
    colors = show(left, maps, "activation_time", "Viridis (matplotlib)", "activation time [ms]", 0.0, latest)
    colors.UseBelowRangeColor, colors.BelowRangeColor = 1, [0.6, 0.6, 0.6]  # never activated
    show_fibers(left, maps)
    show(right, frames, "potential", "Cool to Warm", f"potential [mV] at {time:g} ms", -80.0, 20.0)
    layout = simple.CreateLayout("run")
    layout.SplitHorizontal(0, 0.5)
    layout.AssignView(1, left)
    layout.AssignView(2, right)
    for view in (left, right):
        view.ViewTime = time
        aim(view)
        simple.Render(view)
    simple.SaveScreenshot(picture, layout, ImageResolution=[1600, 800])
    with open(picture, "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", f"{picture}: no PNG was written")


def main(directory, picture=None, time_ms=None):
    frames, frames_name = open_frames(directory)
    maps_file = os.path.join(directory, "maps.vtu")
    expect(os.path.isfile(maps_file), f"no file {maps_file}")
    times, size = check_frames(frames, frames_name)
    maps = simple.XMLUnstructuredGridReader(FileName=[maps_file])
    maps.UpdatePipeline()
    maps_size = check_grid("maps.vtu", servermanager.Fetch(maps), MAP_POINT_ARRAYS, MAP_CELL_ARRAYS)
    expect(maps_size == size, f"maps.vtu has (points, cells, type of cells) {maps_size}, the frames have {size}")
    if picture:
        time = min(times, key=lambda t: abs(t - float(time_ms))) if time_ms else times[len(times) // 2]
        render(maps, frames, time, picture)
    print(f"ParaView opens {directory} by {frames_name}: {len(times)} frames from {times[0]:g} to {times[-1]:g} ms, "
          f"{size[0]} points, {size[1]} cells of type {size[2]}")


expect(2 <= len(sys.argv) <= 4, __doc__)
main(*sys.argv[1:])
