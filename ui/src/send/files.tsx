// The files of an email. The browser keeps no file over a reload: after one, the same files must be chosen again.

import { useState } from "react";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Field } from "#ui/parts/form/field.tsx";
import { bytes } from "#ui/words/numbers.ts";
import type { ChosenFile } from "./draft.ts";

/** A file's bytes as base64. Rejects if it can no longer be read. */
const contentOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });

/** `names`: those of the draft; `files`: those whose bytes are loaded. */
export function Files({
  names,
  files,
  fault,
  onChange,
}: {
  names: readonly string[];
  files: readonly ChosenFile[];
  fault: string | null;
  onChange: (files: readonly ChosenFile[], names: readonly string[]) => void;
}) {
  const { max_files, max_bytes } = useAccount().attachments;
  const [unread, setUnread] = useState<string | null>(null);
  const lost = names.filter((name) => files.every(({ filename }) => filename !== name));
  const add = async (list: FileList | null) => {
    setUnread(null);
    try {
      const added = await Promise.all(
        [...(list ?? [])].map(async (file) => ({ filename: file.name, content: await contentOf(file) })),
      );
      const kept = files.filter(({ filename }) => added.every((each) => each.filename !== filename));
      const fresh = added.map(({ filename }) => filename);
      onChange([...kept, ...added], [...new Set([...names, ...fresh])]);
    } catch {
      setUnread("A file could not be read. Choose it again.");
    }
  };
  return (
    <div className="stack tight">
      <Field
        label="Files"
        hint={`At most ${max_files}, each of ${bytes(max_bytes)}.`}
        fault={
          lost.length > 0
            ? `Choose ${lost.join(", ")} again: the browser kept only the name.`
            : (unread ?? fault)
        }
      >
        <input
          type="file"
          multiple
          required={lost.length > 0}
          onChange={(event) => void add(event.target.files)}
        />
      </Field>
      {names.length === 0 ? null : (
        <ul className="stack tight">
          {names.map((name) => (
            <li key={name} className="row">
              <span dir="auto">{name}</span>
              <Button
                look="plain"
                onClick={() =>
                  onChange(
                    files.filter(({ filename }) => filename !== name),
                    names.filter((each) => each !== name),
                  )
                }
              >
                Remove<span className="unseen"> {name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
