import { useState } from "react";
import { Snippet } from "#ui/parts/copy.tsx";
import { Choices } from "#ui/parts/form/choices.tsx";
import { type Draft, requestOf } from "./draft.ts";
import { type Language, languages, snippetOf } from "./snippets.ts";

const all = languages.map((language) => [language, language] as const);

/** The same send as a call of the public API. It is generated only while it is visible: a request may have thousands of contacts. */
export function AsCode({ draft }: { draft: Draft }) {
  const [open, setOpen] = useState(false);
  const [language, setLanguage] = useState<Language>("curl");
  const named = draft.files.map((filename) => ({ filename, content: `<${filename} as base64>` }));
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The same from your application</summary>
      {open ? (
        <div className="stack">
          <p className="hint">
            The account's API key is in the environment, as <code>TRUNKLINE_API_KEY</code>.
          </p>
          <Choices label="Language" of={all} value={language} onChange={setLanguage} />
          <Snippet text={snippetOf(language, location.origin, requestOf(draft, named))} block />
        </div>
      ) : null}
    </details>
  );
}
