// What all pages share: their title, and their faces while there is nothing to show.

import { type ReactNode, useEffect } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Copy } from "./copy.tsx";
import { WithTimes } from "./time.tsx";

export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Trunkline`;
  }, [title]);
  return (
    <div className="row apart">
      <h1>{title}</h1>
      {children === undefined ? null : <div className="row">{children}</div>}
    </div>
  );
}

/**
 * An error in the API's own words, with the id under which the service logged it. `reload`: reads what is stored by now, for a change
 * that another one was ahead of.
 */
export function Problem({
  error,
  reload,
}: {
  error: ApiError | null | undefined;
  reload?: () => Promise<void>;
}) {
  if (error === null || error === undefined) return null;
  const faults = Object.entries(error.errors);
  return (
    <div className="notice bad" role="alert">
      <strong>
        <WithTimes text={error.message} />
      </strong>
      {faults.length === 0 ? null : (
        <ul>
          {faults.map(([path, messages]) => (
            <li key={path}>
              <code>{path}</code> {messages.join(" ")}
            </li>
          ))}
        </ul>
      )}
      {error.status === 409 && reload !== undefined ? (
        <div>
          <button type="button" className="button" onClick={() => void reload()}>
            Reload, and lose what was entered
          </button>
        </div>
      ) : null}
      {error.retryAfterSeconds === null ? null : <p>Again in {error.retryAfterSeconds} s.</p>}
      {error.requestId === null ? null : (
        <details>
          <summary>Details</summary>
          Status {error.status}, request <code>{error.requestId}</code> <Copy text={error.requestId} />
        </details>
      )}
    </div>
  );
}

/** What is shown while the first answer is under way, or instead of it. */
export function Waiting({ error }: { error: ApiError | null | undefined }) {
  if (!error) return <p className="soft">Loading…</p>;
  return (
    <>
      <Problem error={error} />
      {error.status === 404 ? <p>What this page shows is not here, or not yours.</p> : null}
    </>
  );
}

/** Nothing to list: what would be here, and what changes it. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}

/** The end of a list that may go on. */
export function More({
  pages,
}: {
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  if (!pages.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button"
      disabled={pages.isFetchingNextPage}
      onClick={() => pages.fetchNextPage()}
    >
      {pages.isFetchingNextPage ? "Loading…" : "Show older"}
    </button>
  );
}

/** Names and values. A value of null is left out. */
export function Facts({ of }: { of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== null)
        .flatMap(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}
