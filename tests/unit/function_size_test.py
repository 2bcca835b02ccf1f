#!/usr/bin/env python3
"""No function of the program is longer than 60 lines or has more than 6 parameters, on a GPU as on a CPU.

usage: function_size_test.py SOURCE_FOLDER
       function_size_test.py --self-test

clang-tidy holds the lines of what it compiles, which is no code of GPUs. Here the text alone is read, as clang-format
lays it out: a body is a brace behind a space outside of parentheses, and its lines are those between its braces.
"""
import pathlib
import re
import sys

ROOMS = ("kernels", "fem", "cellml", "assembly", "solver", "meshes", "app")
MOST_LINES, MOST_PARAMETERS = 60, 6
WITHOUT_MEANING = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z])\'(?:\\.|[^\'\\\n])+\'|^#[^\n]*', re.M)
RAW = re.compile(r'R"\w*\(.*?\)\w*"', re.S)
NO_FUNCTION = re.compile(r"(if|for|while|switch|else|do|namespace|struct|class|enum|union|catch|extern|try)\b")
NO_NAME = {"__launch_bounds__", "decltype", "alignas", "requires", "sizeof", "noexcept", "explicit"}


def parameters(head):
    """(name, number of parameters) of the head of a function; nothing of what has no parameter list"""
    for found in re.finditer(r"([\w~]+|operator\(\)|operator[^\w\s(]+)\(", head):
        if found.group(1) in NO_NAME:
            continue
        depth, angles, number, at = 1, 0, 1, found.end()
        while at < len(head) and depth:
            letter = head[at]
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 1:
                angles += (letter == "<") - (letter == ">" and angles > 0 and head[at - 1] != "-")
                number += letter == "," and angles == 0
            at += 1
        return found.group(1), number if head[found.end():at - 1].strip() else 0
    return None


def functions(text):
    """(line, name, lines of the body, parameters) of each"""
    text = RAW.sub(lambda raw: '""' + "\n" * raw.group().count("\n"), text)
    text = WITHOUT_MEANING.sub(lambda found: '""' if found.group()[0] in "\"'" else "", text)
    opened, begin, parentheses = [], 0, 0
    for at, letter in enumerate(text):
        parentheses += (letter in "([") - (letter in ")]")
        if letter == ";" and parentheses == 0:
            begin = at + 1
        elif letter == "{":
            head = text[begin:at]
            is_value = re.search(r"(=|return|[,?:]|\|\||&&)\s*$", head)
            is_body = parentheses == 0 and text[at - 1] in " \n" and not is_value
            opened.append((is_body, head.strip(), at, parentheses))
            if is_body:
                begin, parentheses = at + 1, 0
        elif letter == "}" and opened:
            is_body, head, first, before = opened.pop()
            if not is_body:
                continue
            begin, parentheses = at + 1, before
            head = re.sub(r"^template <[^{]*?>\n", "", head)
            if ")" in head and not NO_FUNCTION.match(head) and parameters(head):
                name, number = parameters(head)
                yield text.count("\n", 0, first) + 1, name, text.count("\n", first, at) - 1, number


def complaints(text):
    for line, name, lines, number in functions(text):
        if lines > MOST_LINES:
            yield f"{line}: {name} has {lines} lines, expected at most {MOST_LINES}"
        if number > MOST_PARAMETERS:
            yield f"{line}: {name} has {number} parameters, expected at most {MOST_PARAMETERS}"


def self_test():
    body = "  f(x);\n"
    kernel = "template <class T>\n__global__ void __launch_bounds__(64, 1)\n    k(const T a, Pair<int, T> b, T* c) {{\n{}}}\n"
    member = "struct S {{\n  S(int a, int b) : a_{{a}}, b_(b) {{\n{}  }}\n}};\n"
    for good in (kernel.format(body * 60), member.format(body * 60),
                 "void f(int a, int b, int c, int d, int e, Pair<A, B> g) {\n}\n",
                 "const auto table = {\n" + "  {1, 2},\n" * 70 + "};\n",
                 "struct S {\n" + "  void f(int a);\n" * 70 + "};\n"):
        assert not list(complaints(good)), good
    for bad, name in ((kernel.format(body * 61), "k"), (member.format(body * 61), "S"),
                      ("void g(A a, B b, C c, D d, E e, F f, std::function<int(int, int)> g) {\n}\n", "g")):
        assert [name in complaint for complaint in complaints(bad)] == [True], (bad, list(complaints(bad)))


def main(root):
    counted, said = 0, []
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".cuh", ".cu"):
                text = file.read_text()
                counted += sum(1 for _ in functions(text))
                said += [f"{file.relative_to(root)}:{complaint}" for complaint in complaints(text)]
    print("\n".join(said + [f"{counted} functions"]))
    return 1 if said or counted < 1000 else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1] == "--self-test" else main(pathlib.Path(sys.argv[1])))
