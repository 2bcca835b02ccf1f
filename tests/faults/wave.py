"""The configuration that the campaigns and the end-to-end tests share: a wave along a bar of 8 mm."""
import pathlib


def wave_yaml(*changes, more=""):
    """Its text with the second of each pair of `changes` in place of the first, which it has to have, and `more` behind."""
    header = pathlib.Path(__file__).resolve().parents[1] / "support/wave_yaml.hpp"
    text = header.read_text().split('R"(')[1].split(')"')[0]
    for before, after in changes:
        if before not in text:
            raise ValueError(f"{header} has no '{before}'")
        text = text.replace(before, after, 1)
    return text + more
