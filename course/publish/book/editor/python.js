// Python for this page: one worker, started when a reader begins to answer, ended by Stop or after a failure.

const SLOW = 20_000;  // ms until the reader is told that Stop is there

let worker = null, busy = null;

function end() {
  worker?.terminate();
  worker = null;
}

const started = () => (worker ??= new Worker(new URL("./python-worker.js", import.meta.url), { type: "module" }));

// A reader who begins to write will press Run later: Python starts meanwhile, unless the browser is set to save data.
export function prepare() {
  if (worker || navigator.connection?.saveData) return;
  started().onerror = end;
  worker.postMessage({ prepare: true });
}

// Returns a promise of {kind: "verdict" | "asks" | "failed" | "stopped", ...}.
export async function check(question, say) {
  while (busy) await busy.done;  // another exercise of the page is being checked
  const mine = started();
  const answer = new Promise((resolve) => {
    const slow = setTimeout(() => say("Still running. Does your loop end for every input? Stop ends it."), SLOW);
    const finish = (result) => { clearTimeout(slow); resolve(result); };
    mine.onmessage = ({ data }) => (data.kind === "progress" ? say(data.text) : finish(data));
    mine.onerror = (event) => { end(); finish({ kind: "failed", text: event.message || "the worker could not be started" }); };
    busy = { stop: () => { end(); finish({ kind: "stopped" }); } };
    mine.postMessage(question);
  });
  busy.done = answer;
  const result = await answer;
  busy = null;
  if (result.kind === "failed") end();
  return result;
}

export const stop = () => busy?.stop();
