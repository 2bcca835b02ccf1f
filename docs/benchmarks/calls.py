"""Calls of the program, as the scripts that measure make them."""
import pathlib
import subprocess

HEART = pathlib.Path(__file__).resolve().parents[2] / "configs/heart_isotropic.yaml"
LOWER_END = "{box: {min: [-1000, -1000, -1000], max: [1000, 1000, -35]}}"  # where the stimulus of a beat is


def settings(values):
    """The words that replace keys of a configuration."""
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def run(program, config, backend, folder, values, *options):
    """The words of a run that writes its results into the folder."""
    return [program, "run", config, "--backend", backend, "--output", folder, "--log-level", "error", *options,
            *settings(values)]


def mesh(program, file, *command):
    """Makes the mesh unless the file is there."""
    if not file.exists():
        subprocess.run([program, "mesh", *command, "--output", file, "--log-level", "error"], check=True,
                       stdout=subprocess.DEVNULL)
    return file


def computing(summary):
    """Seconds of a run without setting up and without output."""
    seconds = summary["seconds"]
    return seconds["total"] - seconds["setup"] - seconds["output"]
