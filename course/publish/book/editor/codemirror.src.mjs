// The editor of an exercise: CodeMirror as its makers made it, for Python, with the course's colors as CSS classes.
// `codemirror.js` is this file with all that it imports; README.md says how to make it again.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

// Tab leaves the editor, so that the keyboard is never caught in it.
export function edit(parent, { text, label, changed, run }) {
  const now = () => { run(); return true; };
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightSpecialChars(), EditorView.lineWrapping, history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
        syntaxHighlighting(classHighlighter), python(), indentUnit.of("    "),
        keymap.of([{ key: "Shift-Enter", run: now }, { key: "Mod-Enter", run: now }, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });
}

// One step of its own for Undo, however soon it follows what was typed.
export function replaceText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: isolateHistory.of("full") });
}
