import { Download } from "lucide-react";
import { useRef, useState } from "react";
import type { MessageRecord } from "#ui/api/schema.ts";
import { counted } from "#ui/messages/words.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { type ReadFrom, readAll } from "#ui/parts/list/read-all.ts";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { csvHead, csvLines } from "./csv.ts";

const maxRows = 100_000;

function save(parts: readonly string[], name: string): void {
  // Excel assumes its own code page instead of UTF-8 unless the file begins with this mark.
  const url = URL.createObjectURL(new Blob(["\ufeff", ...parts], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Reads the results of a filter of the log into a file, the newest first. */
export function Export({ readFrom }: { readFrom: ReadFrom<MessageRecord> }) {
  const { name } = useAccount();
  /** `end`: how far it got; null while it is running. */
  const [progress, setProgress] = useState<{ rows: number; end: string | null } | null>(null);
  const stop = useRef<AbortController | null>(null);

  const run = async () => {
    stop.current = new AbortController();
    const parts = [csvHead];
    let rows = 0;
    setProgress({ rows, end: null });
    const end = await readAll(readFrom, maxRows, stop.current.signal, (page) => {
      parts.push(csvLines(page));
      rows += page.length;
      setProgress({ rows, end: null });
      return rows;
    });
    if (rows > 0) save(parts, `messages-${name}-${new Date().toISOString().slice(0, 10)}.csv`);
    setProgress({ rows, end: rows > 0 ? `${end} The file contains them.` : end });
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
          <p role="status">{progress.end ?? `${counted(progress.rows)} so far…`}</p>
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
