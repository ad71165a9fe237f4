// The outcomes of a whole as one bar. Its legend has the figures, so the bar itself is decorative.

import type { ReactNode } from "react";
import type { MessageStatus } from "#ui/api/schema.ts";
import { number } from "#ui/words/numbers.ts";
import { outcomesIn } from "./outcomes.ts";

/** `link`: the link to the messages of one state. */
export function OutcomeBar({
  byStatus,
  link,
}: {
  byStatus: Readonly<Partial<Record<MessageStatus, number>>>;
  link: (status: MessageStatus, text: string) => ReactNode;
}) {
  const parts = outcomesIn(byStatus);
  return (
    <div className="over-time stack tight">
      <div className="outcome-bar" aria-hidden="true">
        {parts.map(({ name, tone, count }) => (
          <span key={name} className={tone} title={`${name}: ${number(count)}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="legend">
        {parts.map(({ name, tone, count, statuses }) => (
          <li key={name}>
            <span className={`swatch ${tone}`} aria-hidden="true" />
            {name} <strong>{number(count)}</strong>
            {statuses.map(([status, each]) => (
              <span key={status}> · {link(status, `${number(each)} ${status}`)}</span>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
