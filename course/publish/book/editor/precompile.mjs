// Compiles what Python in a page imports until its first verdict. Pyodide brings its library as text alone, and a browser
// would compile it anew at each start. The compiler is the page's own Python, since no other writes its bytecode.
//
// node precompile.mjs ENGINE COURSE_ZIP FOLDER: writes python_stdlib.zip and course.zip into the folder.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [engine, course, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${engine}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: engine, env: { PYTHONHASHSEED: "0" } });
python.FS.writeFile("/library.zip", readFileSync(`${engine}/python_stdlib.zip`));
python.FS.writeFile("/course.zip", readFileSync(course));
python.runPython(`
import sys, zipfile

LIBRARY = next(path for path in sys.path if path.endswith(".zip"))
zipfile.ZipFile("/course.zip").extractall("/course")
sys.path.insert(0, "/course")
from autograder.checking import check_source

from importlib._bootstrap_external import _code_to_hash_pyc

used = {getattr(module, "__file__", None) for module in [*sys.modules.values()]}

def compile_zip(source, place, target, both):
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        def add(name, content):
            made.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)

        for name in archive.namelist():
            text, file = archive.read(name), f"{place}/{name}"
            if file in used and name.endswith(".py"):
                head, _, module = name[:-3].rpartition("/")
                code = _code_to_hash_pyc(compile(text, file, "exec", dont_inherit=True), bytes(8), False)  # its text is not compared
                # A folder has bytecode in a place of its own; a zip file has it instead of the text.
                add(f"{head}/__pycache__/{module}.{sys.implementation.cache_tag}.pyc" if both else f"{name}c", code)
                if not both:
                    continue
            add(name, text)

compile_zip("/library.zip", LIBRARY, "/python_stdlib.zip", False)
compile_zip("/course.zip", "/course", "/compiled.zip", True)
`);
writeFileSync(`${folder}/python_stdlib.zip`, python.FS.readFile("/python_stdlib.zip"));
writeFileSync(`${folder}/course.zip`, python.FS.readFile("/compiled.zip"));
