// The events of one thing, in order: when, what, and in whose words.

import type { ReactNode } from "react";
import { Status, toneOf } from "#ui/parts/status.tsx";
import { Exact } from "#ui/parts/time.tsx";

interface Entry {
  key: string;
  at: string;
  /** The word of a status, which determines its shape and colour. */
  status: string;
  /** Replaces the status's word. */
  title?: ReactNode;
  detail: ReactNode;
}

export function Timeline({ of }: { of: readonly Entry[] }) {
  return (
    <ol className="timeline">
      {of.map(({ key, at, status, title, detail }) => (
        <li key={key}>
          <Exact at={at} />
          <span className={`dot ${toneOf(status)}`} aria-hidden="true" />
          <div>
            {title ?? <Status of={status} />}
            {detail === null ? null : <div className="soft">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
