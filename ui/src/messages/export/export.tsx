import { Download } from "lucide-react";
import { useRef, useState } from "react";
import { ApiError, call } from "#ui/api/client.ts";
import { counted } from "#ui/messages/words.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { number } from "#ui/words/numbers.ts";
import { csvHead, csvLines } from "./csv.ts";

const maxRows = 100_000;
const perPage = 200;

interface Progress {
  rows: number;
  /** Null while it is running. */
  end: { sentence: string } | null;
}

function save(parts: readonly string[], name: string): void {
  // Excel assumes its own code page instead of UTF-8 unless the file begins with this mark.
  const url = URL.createObjectURL(new Blob(["\ufeff", ...parts], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Reads the results of a filter of the log, page by page, into a file. `query`: as for the list. */
export function Export({ query }: { query: Readonly<Record<string, string>> }) {
  const { id: account, name } = useAccount();
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef<AbortController | null>(null);

  const run = async () => {
    const controller = new AbortController();
    stop.current = controller;
    const { signal } = controller;
    const parts = [csvHead];
    let rows = 0;
    let cursor: string | null = null;
    const finish = (sentence: string) => {
      if (rows > 0) save(parts, `messages-${name}-${new Date().toISOString().slice(0, 10)}.csv`);
      setProgress({ rows, end: { sentence } });
    };
    setProgress({ rows, end: null });
    try {
      do {
        const more: { cursor?: string } = cursor === null ? {} : { cursor };
        const page = await call("listAccountMessages", {
          params: { account },
          query: { ...query, ...more, brief: "true", limit: perPage },
          signal,
        });
        parts.push(csvLines(page.data));
        rows += page.data.length;
        cursor = page.next_cursor;
        setProgress({ rows, end: null });
      } while (cursor !== null && rows < maxRows);
      const bound = `The file contains the newest ${number(maxRows)}. Choose a shorter period for the others.`;
      finish(cursor === null ? "The file contains all of them." : bound);
    } catch (error) {
      if (signal.aborted) return finish("You stopped the export: the file contains the newest of them.");
      const why = error instanceof ApiError ? error.message : String(error);
      finish(`The export failed: ${why} The file contains the newest of them.`);
    }
  };

  const leave = () => {
    stop.current?.abort();
    setProgress(null);
  };
  return (
    <>
      <Button onClick={() => void run()}>
        <Download aria-hidden="true" /> Export CSV
      </Button>
      {progress === null ? null : (
        <Dialog title="Export" onClose={progress.end === null ? null : leave}>
          <p role="status">
            {counted(progress.rows)} {progress.end === null ? "so far…" : "read."} {progress.end?.sentence}
          </p>
          <Foot
            verb={progress.end === null ? "Stop" : "Close"}
            look="quiet"
            onAct={progress.end === null ? () => stop.current?.abort() : leave}
          />
        </Dialog>
      )}
    </>
  );
}
