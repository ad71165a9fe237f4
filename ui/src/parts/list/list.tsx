// A list of records that loads as it scrolls: only the visible rows of a long one are rendered.

import { ArrowUp, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { useFreshness } from "#ui/api/freshness.ts";
import { Button } from "#ui/parts/button.tsx";
import { Empty, Problem, Waiting } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { useCameFrom } from "./came-from.ts";
import { useChosen } from "./choosing.ts";
import { usePart } from "./part.ts";
import type { ReadFrom } from "./read-all.ts";
import { useRowKeys } from "./row-keys.ts";
import { type Column, type GroupOf, Table } from "./table.tsx";

interface Pages<T> {
  items: readonly T[];
  data: { pages: readonly { data: readonly unknown[]; searched_until?: string | null }[] } | undefined;
  error: ApiError | null;
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  /** Whether the rows are those of the filter before. */
  isPlaceholderData: boolean;
  hasUpdates: boolean;
  fetchNextPage: () => unknown;
  refresh: (rows?: number) => Promise<void>;
  readFrom: ReadFrom<T>;
}

/** How many pages without an entry are read automatically; after that a person is asked. */
const maxBarePages = 5;
/** The next page is requested when this few rows remain below. */
const ahead = 20;

/** The text at the end of a list, which is announced. */
function End({ pages, verb }: { pages: Pages<unknown>; verb: string }) {
  const { hasNextPage, isFetchingNextPage, items, error } = pages;
  if (error !== null && items.length > 0) return <Problem error={error} />;
  if (pages.isPlaceholderData) return "Reading…";
  if (isFetchingNextPage) return "Reading on…";
  const last = pages.data?.pages.at(-1);
  if (hasNextPage)
    return (
      <>
        {last?.searched_until && last.data.length === 0 ? (
          <p>
            Looked as far as <Time at={last.searched_until} brief />.
          </p>
        ) : null}
        <Button onClick={() => pages.fetchNextPage()}>
          {last?.data.length === 0 ? "Look further" : verb}
        </Button>
      </>
    );
  return items.length > 50 ? `These are all ${items.length.toLocaleString()}.` : null;
}

/**
 * A list that is read page by page. `empty`: shown if there are no entries. `actions`: actions on the selected rows, of which some may be
 * left selected; without it, none can be. `choosable`: the rows that can be, by default all. `more`: the label of the button that reads on. `group`: the headings of
 * the rows. `follows`: whether changes appear automatically while the top of the list is visible.
 */
export function List<T>({
  pages,
  empty,
  icon,
  actions,
  choosable,
  group,
  follows = true,
  more = "Show older",
  label,
  id,
  columns,
}: {
  pages: Pages<T>;
  empty: ReactNode;
  icon?: LucideIcon;
  actions?: (chosen: readonly T[], clear: (left?: readonly string[]) => void) => ReactNode;
  choosable?: (row: T) => boolean;
  group?: GroupOf<T>;
  follows?: boolean;
  more?: string;
  label: string;
  id: (row: T) => string;
  columns: readonly Column<T>[];
}) {
  const { items, hasNextPage, fetchNextPage, refresh } = pages;
  const ref = useRef<HTMLElement>(null);
  const { part, last, isPlaced, show } = usePart(ref, items, id);
  const { choosing, chosen, search, chooseMatching, stop, clear } = useChosen(pages, id, choosable);
  useRowKeys(ref, items.length, show);
  useCameFrom(ref, items, id, show);
  const bare = items.length === 0 ? (pages.data?.pages.length ?? 0) : 0;
  // The next page would interrupt a read of the pages before it.
  const goesOn = hasNextPage && !pages.isFetching && pages.error === null;
  const isDue =
    items.length === 0 ? bare > 0 && bare < maxBarePages : isPlaced && last >= items.length - ahead;
  const isLong = items.length > ahead * 2;
  useEffect(() => {
    if (goesOn && isDue && (isLong || items.length === 0)) void fetchNextPage();
  }, [goesOn, isDue, isLong, items.length, fetchNextPage]);
  const isPaused = useFreshness() === "paused";
  // Rows that were selected further down would be gone.
  const takesIn = follows && isPlaced && !isPaused && chosen.length === 0 && scrollY < 1;
  useEffect(() => {
    if (pages.hasUpdates && takesIn && !pages.isFetching) void refresh(last + ahead + 1);
  });
  const isSearching = typeof search === "number";
  if (pages.data === undefined) return <Waiting error={pages.error} />;
  const shown = part === undefined ? items : items.slice(part.from, last + 1);
  return (
    <>
      {pages.hasUpdates && !takesIn ? (
        <Button
          className="newer"
          onClick={() => {
            scrollTo({ top: 0 });
            void refresh();
          }}
        >
          <ArrowUp aria-hidden="true" /> The list has changed
        </Button>
      ) : null}
      {items.length === 0 ? (
        hasNextPage ? null : (
          <Empty {...(icon === undefined ? {} : { icon })}>{empty}</Empty>
        )
      ) : (
        <Table
          ref={ref}
          label={label}
          rows={shown}
          id={id}
          columns={columns}
          total={items.length}
          grows
          {...(part === undefined ? {} : { part })}
          {...(actions === undefined ? {} : { choosing })}
          {...(group === undefined ? {} : { group })}
        />
      )}
      {items.length === 0 && hasNextPage ? <p>Nothing that fits yet.</p> : null}
      <div className={pages.isPlaceholderData ? "list-end old" : "list-end"} aria-live="polite">
        <End pages={pages} verb={more} />
      </div>
      {actions === undefined || (chosen.length === 0 && search === null) ? null : (
        // biome-ignore lint/a11y/useSemanticElements: a group of buttons, no fieldset
        <div className="chosen-bar" role="group" aria-label="Actions on the chosen rows">
          <span aria-live="polite">
            {isSearching ? `${number(search)} found so far…` : `${number(chosen.length)} chosen`}
          </span>
          {search === null && choosing.isAll && (hasNextPage || choosing.names.size < items.length) ? (
            <Button look="plain" onClick={chooseMatching}>
              Choose all that match
            </Button>
          ) : null}
          {isSearching ? null : <span className="soft">{search}</span>}
          {isSearching || chosen.length === 0 ? null : actions(chosen, clear)}
          <Button look="bare" onClick={isSearching ? stop : () => clear()}>
            {isSearching ? "Stop" : "Clear"}
          </Button>
        </div>
      )}
    </>
  );
}
