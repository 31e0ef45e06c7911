"""Device images as strangers may send them, on the command line: cut, changed, swollen, with code inside, and used by
several processes at once. Each is refused by name, or does what it should."""
import bz2
import gzip
import io
import lzma
import os
import pathlib
import shutil
import struct
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TOP = "unzipped_tti/"
NUMBERS = ", ".join("0.25" for _ in range(64 * 32))
MODEL = f'%x = input : f32[32, 64]\n%w = constant [{NUMBERS}] : f32[64, 32]\n%y = matmul %x, %w\noutput "y" = %y\n'
MIB = 1 << 20


def ttsim(*words, **options):
    return subprocess.run([TTSIM, *map(str, words)], capture_output=True, text=True, timeout=120, check=False, **options)


def peak_of(*words):
    """Exit code, standard error, and the most memory in use, in bytes."""
    with tempfile.TemporaryFile() as err:
        with subprocess.Popen([TTSIM, *map(str, words)], stdout=subprocess.DEVNULL, stderr=err) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return process.returncode, err.read().decode(), usage.ru_maxrss * 1024


def tar_of(members, end=True):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        size = out.tell()
    return out.getvalue() if end else out.getvalue()[:size]


def zip_of(members, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def with_zeros(members, count):
    """A tar of these and a file of so many zeros, piece by piece: this process stays small, as what it starts then is."""
    tar = tar_of([*members, (TOP + "tensors/zeros.bin", b"")], end=False)
    info = tarfile.TarInfo(TOP + "tensors/zeros.bin")
    info.size = count
    yield tar[:-512] + info.tobuf(tarfile.GNU_FORMAT)
    for _ in range(count // MIB):
        yield bytes(MIB)
    yield bytes(1024)


def squeezed(compressor, pieces):
    return b"".join([*map(compressor.compress, pieces), compressor.flush()])


def zipped(members, count):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
        with archive.open(TOP + "tensors/zeros.bin", "w", force_zip64=True) as member:
            for _ in range(count // MIB):
                member.write(bytes(MIB))
    return out.getvalue()


def as_zstd(pieces):
    """A frame of raw blocks, and of such that repeat a zero."""
    step, blocks = 128 << 10, []
    for piece in pieces:
        for at in range(0, len(piece), step):
            block = piece[at:at + step]
            blocks.append((len(block), None) if not any(block) else (len(block), block))
    frame = bytes.fromhex("28b52ffd") + b"\x00" + bytes([7 << 3])
    for place, (size, block) in enumerate(blocks):
        head = int(place == len(blocks) - 1) | (1 << 1 if block is None else 0) | size << 3
        frame += struct.pack("<I", head)[:3] + (b"\0" if block is None else block)
    return frame


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "m.tg").write_text(MODEL)
        cls.image = cls.folder / "m.tti"
        done = ttsim("compile", "m.tg", "--device", "wh_n150", "-o", "m.tti", cwd=cls.folder)
        assert done.returncode == 0, done.stderr
        with tarfile.open(cls.image) as archive:
            files = [member for member in archive.getmembers() if member.isfile()]
            cls.members = [(member.name, archive.extractfile(member).read()) for member in files]
            cls.borders = [member.offset for member in archive.getmembers()]
        # as others make them: nothing of ttsim's
        cls.foreign = [(name, data) for name, data in cls.members
                       if not name.startswith(TOP + "ttsim/") and not name.endswith("/runtime_data.yaml")]

    def write(self, data, name="hostile.tti"):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def refused(self, data, *words, every=True):
        """By every command that reads images, or by one, with each of the words."""
        file = self.write(data)
        commands = [("tti", "info", file), ("run", file, "--mode", "functional"),
                    ("tti", "extract", file, "-o", self.folder / "never")]
        for command in commands if every else commands[:1]:
            done = ttsim(*command)
            self.assertEqual(done.returncode, 2, (command, done.stdout, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "never").exists())

    def runs(self, data):
        done = ttsim("run", self.write(data), "--mode", "functional")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_what_is_cut_off_is_refused_also_between_members(self):
        whole = self.image.read_bytes()
        for border in self.borders[1:]:
            self.refused(whole[:border], "cut off", every=border == self.borders[-1])
        self.refused(whole[:-1024], "the end of a tar is missing")
        self.refused(whole[:-512], "the end of a tar is missing")
        for count in range(1, len(self.members)):  # and closed again
            every = count == len(self.members) - 3
            self.refused(tar_of(self.members[:count]), "hostile.tti", every=every)
            self.refused(zip_of(self.members[:count]), "hostile.tti", every=every)
        self.refused(tar_of(self.foreign, end=False), "the end of a tar is missing")

    def test_missing_and_changed_members_are_refused(self):
        self.runs(tar_of(self.members))
        self.runs(zip_of(self.members))
        for at, (name, data) in enumerate(self.members):
            inner = name.removeprefix(TOP)
            without = self.members[:at] + self.members[at + 1:]
            self.refused(tar_of(without), inner, every=at == 0)
            self.refused(zip_of([*without, (name, data + b" ")]), inner.removesuffix(".sum"), every=at == 0)
        for name in ("letter.txt", "tensors/more.bin", "backend_build_binaries/device_descs/0.yaml", "ttsim/more.npy",
                     "module_files/host_parts.json", "module_files/host_parts.zip"):
            self.refused(tar_of([*self.members, (TOP + name, b"dear")]), f"{name}: error: the member was added",
                         every=False)
        no_folder = [one for one in self.members if not one[0].startswith(TOP + "ttsim/")]
        self.refused(tar_of(no_folder), "ttsim/model.json: error: the image has no such member, although ttsim wrote it")

    def test_the_same_for_unpacked_images(self):
        folder = self.folder / "changed"
        def fresh():
            shutil.rmtree(folder, ignore_errors=True)
            self.assertEqual(ttsim("tti", "extract", self.image, "-o", folder).returncode, 0)
            return folder / TOP
        def refused(word):
            for command in (("run", folder, "--mode", "functional"), ("tti", "info", folder)):
                done = ttsim(*command)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(word, done.stderr)
        shutil.rmtree(fresh() / "ttsim")
        refused("ttsim/model.json: error: the image has no such member")
        (fresh() / "letter.txt").write_text("dear")
        refused("letter.txt: error: the member was added")
        (fresh() / "netlist.yaml").unlink()
        refused("netlist.yaml: error: the image has no such member")
        # what runs write beside the builds is not part of it, and not read
        builds = fresh() / "backend_build_binaries"
        (builds / "run_report.json").write_text("{}")
        (builds / "device_descs").mkdir(exist_ok=True)
        (builds / "device_descs/0.yaml").write_text("!!python/object/apply:os.system [false]")
        self.assertEqual(ttsim("run", folder, "--mode", "functional").returncode, 0)

    def test_a_member_comes_once_however_its_name_is_written(self):
        for name in ("./unzipped_tti/device.json", "unzipped_tti/./device.json", "unzipped_tti//device.json",
                     "./unzipped_tti/././device.json", "unzipped_tti/./tensors/../device.json"):
            self.refused(tar_of([*self.members, (name, b"{}")]), "refused" if ".." in name else "the member comes twice",
                         every="//" in name)
        self.refused(tar_of([*self.members, (TOP + "device.json/x", b"1")]), "the member is a file and a folder")
        self.refused(tar_of([*self.members, (TOP + "bell\x07", b"1")]), r"bell\x07' is refused")

    def test_bombs_are_refused_before_they_grow(self):
        def pieces():
            return with_zeros(self.foreign, 256 * MIB)
        once = squeezed(zlib.compressobj(9, zlib.DEFLATED, 31), pieces())
        swollen = {"gz": once, "gz-gz": gzip.compress(once, 9), "bz2": squeezed(bz2.BZ2Compressor(), pieces()),
                   "xz": squeezed(lzma.LZMACompressor(preset=0), pieces()), "zip": zipped(self.foreign, 256 * MIB),
                   "zst": as_zstd(pieces())}
        for name, data in swollen.items():
            with self.subTest(name):
                self.assertLess(len(data), 2 * MIB)
                for command in (("run",), ("tti", "info")):
                    code, text, peak = peak_of(*command, self.write(data))
                    self.assertEqual(code, 2, text)
                    self.assertIn("hostile.tti", text)
                    self.assertLess(peak, 160 * MIB)
        self.assertIn("convert it to a plain tar", ttsim("tti", "info", self.write(swollen["gz"])).stderr)

    def test_images_are_read_compressed(self):
        for pack in (gzip.compress, bz2.compress, lzma.compress):
            self.runs(pack(tar_of(self.members)))

    def test_unknown_members_are_named_and_not_read(self):
        more = [(TOP + "module_files/weights.pkl", b"cos\nsystem\n(S'touch canary'\ntR."), (TOP + "tensors/odd.bin", b"1")]
        file = self.write(tar_of([*self.foreign, *more]))
        done = ttsim("tti", "info", file)
        self.assertIn("Members That Are Not Read...\n- module_files/weights.pkl: 31 bytes\n- tensors/odd.bin: 1 bytes\n",
                      done.stdout)
        self.assertIn('"member": "module_files/weights.pkl"', ttsim("tti", "info", file, "--json", "-").stdout)
        done = ttsim("run", file, "--mode", "functional", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: 2 members of the image are not read: module_files/weights.pkl, tensors/odd.bin", done.stdout)
        self.assertFalse((self.folder / "canary").exists())

    def test_code_in_foreign_images_does_not_run(self):
        pickle = b"cos\nsystem\n(S'touch canary'\ntR."
        def changed(name, old, new, *more):
            members = dict(self.foreign)
            self.assertIn(old, members[TOP + name])
            members[TOP + name] = members[TOP + name].replace(old, new, 1)
            return tar_of([*members.items(), *more])
        parameters = dict(self.foreign)[TOP + "device.json"].split(b'"post_const_eval_parameters": ')[1]
        value = parameters[:parameters.index(b"}") + 1]
        queue = value.split(b'"')[1]
        attacks = [
            changed("device.json", value, b'{"' + queue + b'": "unzipped_tti/tensors/w.pkl"',
                    (TOP + "tensors/w.pkl", pickle)),
            changed("netlist.yaml", b"queues:", b"evil: !!python/object/apply:os.system ['touch canary']\nqueues:"),
            changed("backend_build_binaries/device_desc.yaml", b"arch_name:",
                    b"evil: !!python/object/apply:os.system ['touch canary']\narch_name:"),
        ]
        for data in attacks:
            done = ttsim("run", self.write(data), "--mode", "functional", cwd=self.folder)
            self.assertIn(done.returncode, (0, 2, 3, 4), done.stderr)
            self.assertFalse((self.folder / "canary").exists())
        self.assertIn("reading a pickle runs code", ttsim("run", self.write(attacks[0])).stderr)

    def test_an_image_does_not_depend_on_how_paths_were_typed(self):
        place = self.folder / "a_place"
        place.mkdir()
        shutil.copy(self.folder / "m.tg", place / "m.tg")
        ttsim("tti", "extract", self.image, "-o", place / "open")
        shutil.copy(place / "open" / TOP / "backend_build_binaries/device_desc.yaml", place / "part.yaml")
        shutil.copy(place / "open" / TOP / "backend_build_binaries/cluster_desc.yaml", place / "pair.yaml")
        (place / "formats.yaml").write_text("[]\n")
        (place / "overrides.yaml").write_text("{}\n")
        images = []
        for at, before in enumerate(("", "./", f"{place}/", "../a_place/")):
            done = ttsim("compile", before + "m.tg", "--device", (before or "./") + "part.yaml", "--cluster", before + "pair.yaml",
                         "--overrides", before + "overrides.yaml", "-o", f"{at}.tti", cwd=place)
            self.assertEqual(done.returncode, 0, done.stderr)
            images.append((place / f"{at}.tti").read_bytes())
        for image in images:
            self.assertEqual(image, images[0])
            self.assertNotIn(b"a_place", image)
            self.assertNotIn(str(self.folder).encode(), image)

    def test_several_processes_share_a_folder(self):
        for trial in range(4):
            out = self.folder / f"shared_{trial}/open" if trial % 2 else self.folder / f"shared_{trial}"
            first = [("tti", "extract", self.image, "-o", out)] * 8
            then = [("tti", "extract", self.image, "-o", out), ("run", out, "--mode", "functional"), ("tti", "info", out)] * 4
            for commands in (first, then):
                running = [subprocess.Popen([TTSIM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                           for words in commands]
                for words, process in zip(commands, running):
                    text, _ = process.communicate(timeout=120)
                    self.assertEqual(process.returncode, 0, (words, text.decode()))
            self.assertEqual([one.name for one in out.parent.glob(".*")], [])
            self.assertEqual(ttsim("tti", "info", out).returncode, 0)


if __name__ == "__main__":
    unittest.main()
