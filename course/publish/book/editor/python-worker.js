// Python in a worker: it runs a reader's lines and the course's judge. The page ends the worker to stop a loop.

import settings from "./python/settings.js";

let python = null, starting = null;
const loaded = new Set();
const say = (text) => postMessage({ kind: "progress", text });

async function start() {
  const folder = new URL("./python/", import.meta.url).href;
  const engine = `${folder}pyodide.mjs`, course = `${folder}course.zip`;
  const { loadPyodide } = await import(engine);
  const started = await loadPyodide({ indexURL: folder, lockFileURL: `${folder}packages.json` });
  const packed = await fetch(course);
  if (!packed.ok) throw new Error(`${course} answers ${packed.status}`);
  started.unpackArchive(await packed.arrayBuffer(), "zip", { extractDir: "/course" });
  started.runPython("import sys; sys.path.insert(0, '/course'); from autograder.checking import check_source");
  return started;
}

// A start that failed is tried again at the next Run, which then says why.
function ready() {
  starting ??= start().then((started) => { python = started; }).catch((error) => { starting = null; throw error; });
  return starting;
}

// The judge compares with NumPy where it is there, so its modules are imported anew after NumPy has come.
async function fetchPackages(names) {
  const lacking = names.filter((name) => !settings.packages.includes(name));
  if (lacking.length) throw new Error(`this site has no ${lacking.join(" and no ")}; in JupyterLab your lines can use it`);
  say(`Fetching ${names.join(", ")} …`);
  await python.loadPackage(names, { messageCallback: () => {} });
  const missed = names.filter((name) => !(name in python.loadedPackages));  // a failed fetch only says so on the console
  if (missed.length) throw new Error(`${missed.join(" and ")} could not be fetched from ${settings.host || "this site"}; is the network there?`);
  names.forEach((name) => loaded.add(name));
  python.runPython(
    "for name in [name for name in sys.modules if name.split('.')[0] in ('autograder', 'chip2cluster')]: del sys.modules[name]\n" +
    "from autograder.checking import check_source");
}

const call = (name, ...given) => JSON.parse(python.globals.get("check_source")[name](...given));

async function check({ record, source, imports, agreed }) {
  if (!python) say("Starting Python …");
  await ready();
  const names = call("missing_packages_json", record, source, imports).filter((name) => !loaded.has(name));
  if (names.length && settings.host && !agreed) return postMessage({ kind: "asks", names });
  if (names.length) await fetchPackages(names);
  say("Running your lines …");
  let verdict = call("check_source_json", record, source, imports);
  if (verdict.missing.length && !verdict.missing.every((name) => loaded.has(name))) {
    if (settings.host && !agreed) return postMessage({ kind: "asks", names: verdict.missing });
    await fetchPackages(verdict.missing);
    verdict = call("check_source_json", record, source, imports);
  }
  postMessage({ kind: "verdict", verdict });
}

onmessage = ({ data }) => (data.prepare ? ready().catch(() => {}) : check(data)).catch((error) => postMessage({ kind: "failed", text: String(error.message ?? error) }));
