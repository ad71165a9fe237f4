// What all pages share: their title, and their loading, error and empty states.

import type { LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Button } from "#ui/parts/button.tsx";
import { faultSentences, type TitleOf } from "#ui/words/faults.ts";
import { inGroups } from "#ui/words/numbers.ts";
import { Copy } from "./copy.tsx";
import { Digits } from "./recipient.tsx";
import { useNow, WithTimes } from "./time.tsx";

/** `back`: the link to the list that the page belongs to, with the class `back`; `under`: what is below the title. */
export function PageHead({
  title,
  back,
  under,
  children,
}: {
  title: string;
  back?: ReactNode;
  under?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${inGroups(title)} · Trunkline`;
  }, [title]);
  return (
    <div className="page-head">
      {back}
      <div className="row apart">
        <h1 tabIndex={-1}>
          <Digits of={title} />
        </h1>
        {children === undefined ? null : <div className="row">{children}</div>}
      </div>
      {under}
    </div>
  );
}

/** A section of a page with its own title. `actions`: actions on it. */
export function Section({
  title,
  actions,
  lead = false,
  about,
  children,
}: {
  title: string;
  actions?: ReactNode;
  /** A sentence under the title, as forms have it. */
  about?: ReactNode;
  /** Whether it is what the page is about. */
  lead?: boolean;
  children: ReactNode;
}) {
  const id = `part-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  return (
    <section className={lead ? "card lead" : "card"} aria-labelledby={id}>
      <div className="row apart">
        <h2 id={id}>{title}</h2>
        {actions}
        {about === undefined ? null : <p className="hint">{about}</p>}
      </div>
      {children}
    </section>
  );
}

/** Counts down until the service accepts the same request again. */
function RetryAfter({ seconds }: { seconds: number }) {
  const [from] = useState(() => Date.now());
  const left = Math.ceil(seconds - (useNow() - from) / 1_000);
  return <p>{left > 0 ? `Again in ${left} s.` : "You can try again now."}</p>;
}

/**
 * An error with the API's own message, and the id under which the service logged it. `reload`: reads the stored values, after another
 * change came first. `titleOf`: what the form calls its fields.
 */
export function Problem({
  error,
  reload,
  titleOf,
}: {
  error: ApiError | null | undefined;
  titleOf?: TitleOf | undefined;
  reload?: (() => Promise<void>) | undefined;
}) {
  if (error === null || error === undefined) return null;
  const faults = faultSentences(error.errors, titleOf);
  return (
    <div className="notice bad" role="alert" tabIndex={-1}>
      <strong>
        <WithTimes text={error.message} />
      </strong>
      {faults.length === 0 ? null : (
        <ul>
          {faults.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {error.status === 409 && reload !== undefined ? (
        <div>
          <Button onClick={() => void reload()}>Reload and discard my changes</Button>
        </div>
      ) : null}
      {error.retryAfterSeconds === null ? null : (
        <RetryAfter key={error.requestId} seconds={error.retryAfterSeconds} />
      )}
      {error.requestId === null ? null : (
        <details className="small">
          <summary>Details</summary>
          Status {error.status}, request <code>{error.requestId}</code> <Copy text={error.requestId} />
        </details>
      )}
    </div>
  );
}

/** Shown while the first answer is loading, or instead of it. */
export function Waiting({ error }: { error: ApiError | null | undefined }) {
  if (!error)
    return (
      <p className="soft waiting" role="status">
        Loading…
      </p>
    );
  return (
    <>
      <Problem error={error} />
      {error.status === 404 ? <p>This page does not exist, or you may not see it.</p> : null}
    </>
  );
}

/** An empty list: what would be here, and the one action that changes it. */
export function Empty({ icon: Icon, children }: { icon?: LucideIcon; children: ReactNode }) {
  return (
    <div className="empty">
      {Icon === undefined ? null : <Icon aria-hidden="true" />}
      {children}
    </div>
  );
}

/** Names and values. A null value is omitted. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  const shown = Object.entries(of).filter(([, value]) => value !== null);
  return (
    <dl className="facts">
      {shown.flatMap(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

/** The main figures of a page. A null value is omitted. `note`: what a figure refers to. */
export function Figures({ of }: { of: readonly { name: string; value: ReactNode; note?: ReactNode }[] }) {
  const shown = of.filter(({ value }) => value !== null);
  return (
    <dl className="figures">
      {shown.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {note == null ? null : <span className="small">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
