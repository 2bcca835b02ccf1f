"""usage: python_module_test.py PROGRAM SOURCE_FOLDER

Simulations in Python (python/cardiowarp): their arrays are those that `cardiowarp run` writes, a mesh of NumPy arrays is
that of a file, looking changes nothing, and what is wrong is told with the program's words."""
import contextlib
import functools
import gc
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

PROGRAM, SOURCES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
os.environ["CARDIOWARP"] = PROGRAM
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCES / "python"), str(SOURCES / "docs/benchmarks")]
import cardiowarp  # noqa: E402
import measured  # noqa: E402
import numpy  # noqa: E402

BAR = {
    "mesh": {"file": "bar.msh"},
    "diffusivity": {"longitudinal": "0.2 mm^2/ms", "transverse": "0.07 mm^2/ms"},
    "fibers": {"source": "constant", "direction": [1, 0.3, 0.1]},
    "regions": [{"where": {"box": {"min": [6, -1, -1], "max": [9, 9, 9]}},
                 "diffusivity": {"longitudinal": 0.1, "transverse": 0.1}}],
    "stimuli": [{"where": {"box": {"min": [-1, -1, -1], "max": [1.3, 9, 9]}}, "duration": "2 ms",
                 "amplitude": "50 mV/ms"}],
    "time": {"end": "40 ms", "step": "0.1 ms", "adaptive": {"enabled": True}},
    "output": {"directory": "out", "interval": "7 ms"},
    "probes": [{"name": "near", "point": [2.1, 1, 0.3]}, {"name": "far away", "point": [8.7, 2.9, 0.8]}],
    "backend": "cpu",
}


def changed(**sections):
    return {**BAR, **sections}


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.program("mesh", "slab", "--size", "11,3,1", "--edge", "0.7mm", "--output", "bar.msh")
        pathlib.Path("bar.yaml").write_text(json.dumps(BAR))

    def program(self, *words):
        return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True)

    def simulation(self, *arguments, **named):
        heart = cardiowarp.Simulation(*arguments, **named)
        self.addCleanup(heart.close)
        return heart

    def refused(self, kind, message, *arguments, **named):
        with self.assertRaises(kind) as refusal:
            cardiowarp.Simulation(*arguments, **named)
        self.assertIn(message, str(refusal.exception))


class ASimulation(InAFolder):
    def test_has_the_arrays_that_a_run_writes(self):
        self.program("run", "bar.yaml")
        heart = self.simulation("bar.yaml")
        frames = []
        heart.run(lambda heart: frames.append((heart.time, heart.potential, heart.state("recovery"))), every=7)
        self.assertEqual([time for time, _, _ in frames], [7, 14, 21, 28, 35, 40])
        self.assertTrue(heart.finished)
        for number, (_, potential, recovery) in enumerate(frames[:5], 1):
            frame = f"out/frames/potential_{number:06}.vtu"
            self.assertEqual(potential.tolist(), list(measured.point_array(frame, "potential")))
        self.assertEqual(heart.points.ravel().tolist(), list(measured.point_array("out/maps.vtu", "Points")))
        written = numpy.array(measured.point_array("out/maps.vtu", "activation_time"))
        self.assertTrue((written >= 0).any())
        numpy.testing.assert_array_equal(numpy.nan_to_num(heart.activation_time, nan=-1), written)
        numpy.testing.assert_array_equal(numpy.nan_to_num(heart.apd90, nan=-1),
                                         measured.point_array("out/maps.vtu", "apd90"))
        self.assertTrue(numpy.isnan(heart.apd90).all())  # none has ended by then
        last = pathlib.Path("out/probes.csv").read_text().splitlines()
        self.assertEqual(last[0], "time_ms,near,far away")
        self.assertEqual(list(heart.probes), heart.probe_names)
        numpy.testing.assert_allclose(list(heart.probes.values()), [float(word) for word in last[-1].split(",")[1:]],
                                      rtol=1e-12)

    def test_is_the_same_however_often_somebody_looks(self):
        seldom, often = self.simulation(BAR), self.simulation(BAR)
        seldom.advance(23.456)
        for time in (0.01, 0.011, 0.5, 11, 3, 23.4559, 23.456):  # also a time that has passed
            often.advance(time)
            often.potential
        self.assertEqual(often.time, 23.456)
        numpy.testing.assert_array_equal(seldom.potential, often.potential)
        self.assertGreater(seldom.potential.max(), 0)

    def test_knows_no_activation_that_is_still_to_come(self):
        heart, still_to_come = self.simulation(changed(time={**BAR["time"], "end": "600 ms"})), 0
        while not heart.finished:
            heart.advance(heart.time + 1.7)
            potential, times, durations = heart.potential, heart.activation_time, heart.apd90
            self.assertFalse((times > heart.time).any())
            self.assertFalse((times + durations > heart.time).any())
            still_to_come += numpy.isnan(times[potential > 1]).sum()
        self.assertEqual(still_to_come, 0)
        self.assertFalse(numpy.isnan(heart.apd90).any())

    def test_says_how_many_steps_it_made_and_where_it_is(self):
        heart = self.simulation(changed(time={"end": "3 ms", "step": "0.25 ms", "scheme": "backward_euler"}))
        self.assertEqual((heart.time, heart.end, heart.finished, heart.backend), (0, 3, False, "cpu"))
        self.assertEqual(heart.potential.shape, (heart.nodes,))
        self.assertEqual(heart.tetrahedra.shape, (heart.elements, 4))
        self.assertEqual(heart.tetrahedra.max(), heart.nodes - 1)
        self.assertEqual(heart.advance(0.6), 3)
        self.assertEqual(heart.time, 0.75)  # this scheme knows nothing between its steps
        self.assertEqual(heart.advance(0.7), 0)
        self.assertEqual(heart.advance(), 9)
        self.assertTrue(heart.finished)
        self.assertEqual(heart.advance(), 0)
        self.assertIn(f"of {heart.nodes} nodes on the CPU at 3 of 3 ms", repr(heart))

    def test_ends_where_the_callback_says_so(self):
        heart, times = self.simulation(BAR), []
        heart.run(lambda heart: times.append(heart.time) or heart.time < 10, every=4)
        self.assertEqual(times, [4, 8, 12])
        heart.run(lambda heart: heart.potential.max() < -100, every=5)  # NumPy's False
        self.assertEqual(heart.time, 17)

    def test_of_a_mesh_of_arrays_is_that_of_the_file(self):
        of_file = self.simulation(BAR)
        of_arrays = self.simulation(BAR, (of_file.points, of_file.tetrahedra))
        of_file.advance(13)
        of_arrays.advance(13)
        numpy.testing.assert_array_equal(of_file.potential, of_arrays.potential)

    def test_takes_names_with_spaces_and_other_signs(self):
        of_file = self.simulation(BAR)
        sign = "\N{GREEK SMALL LETTER MU}\N{ANATOMICAL HEART}"
        for name in ("fibers of the heart", 'a%20b & <c> "d"', f"fibers {sign}"):
            fibers = numpy.tile([1, 0.3, 0.1], (of_file.elements, 1))
            heart = self.simulation(changed(fibers={"source": "mesh", "array": name},
                                            probes=[{"name": f"{sign} 1", "point": [2.1, 1, 0.3]}]),
                                    {"points": of_file.points, "tetrahedra": of_file.tetrahedra,
                                     "element_data": {name: fibers}})
            of_file.advance(9)
            heart.advance(9)
            numpy.testing.assert_allclose(of_file.potential, heart.potential, atol=1e-9)
            self.assertEqual(heart.probe_names, [f"{sign} 1"])

    def test_takes_paths_and_numbers_of_numpy(self):
        heart = self.simulation(changed(mesh={"file": pathlib.Path("bar.msh")},
                                        fibers={"source": "constant", "direction": numpy.array([1, 0.3, 0.1])},
                                        time={"end": numpy.float32(3), "step": 0.1}),
                                settings={"stimuli.0.amplitude": numpy.int64(60)})
        self.assertEqual(heart.end, 3)

    def test_shows_warnings(self):
        of_file = self.simulation(BAR)
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            heart = self.simulation(BAR, (numpy.vstack([of_file.points, [[99, 0, 0]]]), of_file.tetrahedra))
        self.assertEqual(heart.nodes, of_file.nodes)
        self.assertEqual(shown.getvalue(), "warning: mesh: 1 nodes of no tetrahedron were dropped\n")
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            heart.advance(3)
            self.refused(cardiowarp.InputError, "did you mean 'constant'", changed(fibers={"source": "constnt"}))
        self.assertEqual(shown.getvalue(), "")

    def test_leaves_a_mesh_to_the_folder_for_temporary_files_whatever_its_name(self):
        of_file = self.simulation(BAR)
        os.mkdir("for #1: a b")
        with unittest.mock.patch.object(tempfile, "tempdir", os.path.abspath("for #1: a b")):
            heart = self.simulation(BAR, (of_file.points, of_file.tetrahedra))
            self.refused(cardiowarp.InputError, "mesh: node 0 is at (nan, 0, 0)", BAR,
                         (of_file.points * [[numpy.nan, 1, 1]], of_file.tetrahedra))
        self.assertEqual(heart.nodes, of_file.nodes)
        self.assertEqual(os.listdir("for #1: a b"), [])

    def test_is_not_harmed_by_an_interrupt_between_requests(self):
        words = f"""
import os, signal, sys, time
sys.path.insert(0, {str(SOURCES / "python")!r})
import cardiowarp
heart = cardiowarp.Simulation("bar.yaml")
heart.advance(2)
try:
    os.killpg(0, signal.SIGINT)  # as Ctrl-C does
    time.sleep(60)
except KeyboardInterrupt:
    print(heart.advance(3) > 0)
"""
        done = subprocess.run([sys.executable, "-B", "-c", words], capture_output=True, text=True,
                              start_new_session=True)
        self.assertEqual(done.stdout, "True\n", done.stderr)

    def test_goes_to_the_end_for_infinity(self):
        heart = self.simulation(BAR)
        with self.assertRaisesRegex(cardiowarp.InputError, "got nan"):
            heart.advance(float("nan"))
        self.assertEqual(heart.advance(-float("inf")), 0)
        heart.advance(float("inf"))
        self.assertEqual((heart.time, heart.finished), (40, True))

    def test_has_the_arrays_of_its_mesh(self):
        heart = self.simulation(BAR)
        points, tetrahedra = heart.points, heart.tetrahedra
        middles = points[tetrahedra].mean(axis=1)
        inside = ((points > [6, -1, -1]) & (points < [9, 9, 9])).all(axis=1)
        by_tag = changed(fibers={"source": "mesh", "array": "fiber"},
                         regions=[{**BAR["regions"][0], "where": {"tag": 7}}])
        mesh = {"points": points, "tetrahedra": tetrahedra.tolist(),
                "element_data": {"region": numpy.where((middles[:, 0] > 6) & (middles[:, 0] < 9), 7, 2),
                                 "fiber": numpy.tile([1, 0.3, 0.1], (len(tetrahedra), 1))},
                "node_data": {"weight": inside.astype(float)}}
        tagged = self.simulation(by_tag, mesh)
        heart.advance(31)
        tagged.advance(31)
        numpy.testing.assert_allclose(heart.potential, tagged.potential, atol=1e-9)

    def test_leaves_no_file_behind(self):
        before = sorted(os.listdir())
        with cardiowarp.Simulation(BAR) as heart:
            heart.advance(1)
            self.assertEqual(sorted(os.listdir()), before)
        self.refused(cardiowarp.InputError, "tim: expected one of the keys", {**BAR, "tim": 1})
        self.refused(cardiowarp.InputError, "in a configuration, got {5}", {**BAR, "time": {5}})
        with self.assertRaises(UnicodeEncodeError):
            cardiowarp.Simulation({**BAR, "backend": "\ud800"})
        self.assertEqual(sorted(os.listdir()), before)

    def test_records_no_ecg(self):
        # A run looks at the electrodes of its ECG and refuses one of the twelve leads in the tissue.
        output = {**BAR["output"], "ecg": {"electrodes": [{"name": "V1", "point": [5, 1, 1]}]}}
        pathlib.Path("ecg.yaml").write_text(json.dumps(changed(output=output)))
        with self.assertRaises(subprocess.CalledProcessError) as refusal:
            self.program("run", "ecg.yaml")
        self.assertIn("electrode 'V1'", refusal.exception.stderr)
        heart = self.simulation("ecg.yaml")
        heart.advance(1)
        self.assertGreaterEqual(heart.time, 1)

    def test_takes_settings_and_threads(self):
        heart = self.simulation("bar.yaml", settings={"time.end": "3 ms", "stimuli.0.amplitude": 60}, threads=1)
        self.assertEqual(heart.end, 3)
        other = self.simulation(BAR)
        heart.advance(3)
        other.advance(3)
        self.assertGreater(heart.potential.max(), other.potential.max() + 1)


class WhatIsWrong(InAFolder):
    def test_in_a_configuration_is_told_with_the_programs_words(self):
        self.refused(cardiowarp.InputError, "configuration:1:", changed(quadrature="vertexes"))
        self.refused(cardiowarp.InputError, "quadrature: expected", changed(quadrature="vertexes"))
        self.refused(cardiowarp.InputError, "nowhere.yaml: cannot be read: No such file", "nowhere.yaml")
        self.refused(cardiowarp.InputError, "time.step", "bar.yaml", settings={"time.step": -1})
        self.refused(cardiowarp.InputError, "prepace: only `run` paces",
                     changed(stimuli=[{**BAR["stimuli"][0], "name": "s1"}],
                             prepace={"stimuli": ["s1"], "beats": 3, "period": "300 ms"}))
        self.refused(ValueError, "did you mean", changed(mesh={"file": "bat.msh"}))

    def test_in_a_mesh_of_arrays_is_told(self):
        heart = self.simulation(BAR)
        points, tetrahedra = heart.points, heart.tetrahedra
        wrong = functools.partial(self.refused, cardiowarp.InputError)
        wrong("points: expected an array of shape [.., 3], got [", BAR, (points[:, :2], tetrahedra))
        wrong("tetrahedra: expected whole numbers", BAR, (points, tetrahedra + 0.5))
        wrong("'region': expected", BAR,
              {"points": points, "tetrahedra": tetrahedra, "element_data": {"region": [1, 2]}})
        wrong("node", BAR, (points, tetrahedra + 100))
        wrong("mesh: cell 0 refers to node 42949", BAR, (points, tetrahedra.astype(numpy.int64) + 2**32))
        wrong("'region': cell 0 holds 4294967303", BAR,
              {"points": points, "tetrahedra": tetrahedra,
               "element_data": {"region": numpy.full(len(tetrahedra), 2**32 + 7)}})
        wrong("element_data, got 'elemen_data'; did you mean 'element_data'?", BAR,
              {"points": points, "tetrahedra": tetrahedra, "elemen_data": {}})
        wrong("tetrahedra: expected an array of shape [.., 4]", BAR, {"points": points})
        wrong("expected a pair", BAR, "bar.msh")
        wrong("node_data: expected names", BAR,
              {"points": points, "tetrahedra": tetrahedra, "node_data": {"": points[:, 0]}})
        wrong("points: expected numbers", BAR, (points + 1j, tetrahedra))
        wrong("mesh: expected a map", changed(mesh="bar.msh"), (points, tetrahedra))

    def test_in_the_name_of_a_state_is_told(self):
        heart = self.simulation(BAR)
        with self.assertRaisesRegex(cardiowarp.InputError, "one of recovery, got 'recovry'; did you mean 'recovery'"):
            heart.state("recovry")
        self.assertEqual(heart.state("recovery").shape, (heart.elements,))

    def test_in_a_request_is_told_and_ends_the_simulation(self):
        heart = self.simulation(BAR)
        with self.assertRaisesRegex(cardiowarp.InputError, "got 'state:recovry'; did you mean 'state:recovery'"):
            heart._array("state:recovry")
        with self.assertRaisesRegex(cardiowarp.Error, "the simulation is closed"):
            heart.advance(3)

    def test_in_a_call_is_told_once(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            self.assertRaises(TypeError, cardiowarp.Simulation)
            gc.collect()
        self.assertEqual(shown.getvalue(), "")

    def test_with_the_current_folder_is_told(self):
        os.chdir("/proc")  # where no file can be made
        self.refused(cardiowarp.InputError, "a dict needs a file in the current folder", BAR)

    def test_with_the_reader_of_replies_ends_the_steps(self):
        pathlib.Path("long.yaml").write_text(json.dumps(changed(time={"end": "100000 ms", "step": "0.001 ms"})))
        serving = subprocess.Popen([PROGRAM, "serve", "long.yaml"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(serving.wait)
        self.addCleanup(serving.kill)
        self.assertIn(b"nodes", serving.stdout.readline())
        serving.stdin.write(b'{"advance": 100000}\n')
        serving.stdin.close()
        serving.stdout.close()
        serving.wait(timeout=60)  # the steps take hours

    def test_with_a_step_is_told_with_its_place(self):
        heart = self.simulation(changed(newton={"max_iterations": 1, "tolerance": 1e-14},
                                        time={"end": "3 ms", "step": "0.25 ms", "scheme": "backward_euler"}))
        with self.assertRaisesRegex(cardiowarp.NotConverged, r"step 1 \(t = 0.25 ms\): .*worst at node \d+"):
            heart.advance()

    def test_with_the_program_is_told(self):
        heart = self.simulation(BAR)
        os.kill(heart._process.pid, signal.SIGKILL)
        with self.assertRaisesRegex(cardiowarp.Error, "the program ended with exit code -9"):
            heart.advance(3)
        self.refused(cardiowarp.InputError, "there is no program '/nowhere/a'", BAR, program="/nowhere/a")

    def test_in_what_others_send_is_told(self):
        for line in ("advance", '{"advance": "3"}', "[]", '{"array": 3}', "\xff"):
            done = subprocess.run([PROGRAM, "serve", "bar.yaml"], input=line + "\n", capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn("expected a line", done.stderr)
        done = subprocess.run([PROGRAM, "serve", "bar.yaml"], input="", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 1))


class ThePackage(unittest.TestCase):
    def test_is_installed_by_pip(self):
        try:
            import setuptools
        except ImportError:
            self.skipTest("no setuptools")
        if int(setuptools.__version__.split(".")[0]) < 61:
            self.skipTest("setuptools older than 61")
        with tempfile.TemporaryDirectory() as folder:
            for part in ("pyproject.toml", "python"):  # pip leaves a folder beside what it installs
                subprocess.run(["cp", "-r", SOURCES / part, folder], check=True)
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                            "--no-build-isolation", "--target", f"{folder}/installed", folder],
                           check=True, cwd=folder, env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
            done = subprocess.run([sys.executable, "-c",
                                   "import cardiowarp; print(cardiowarp.__file__, cardiowarp.find_program())"],
                                  check=True, capture_output=True, text=True, cwd="/",
                                  env={**os.environ, "PYTHONPATH": f"{folder}/installed"})
            self.assertEqual(done.stdout, f"{folder}/installed/cardiowarp/__init__.py {PROGRAM}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
