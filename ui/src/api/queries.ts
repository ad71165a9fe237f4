// Reads through a cache: one key for each operation and its input.

import {
  type InfiniteData,
  keepPreviousData,
  type Query,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { ApiError, call, changesSession, type Input, type OperationName, type Output } from "./client.ts";
import { isAway, nextReadMs, useFreshness } from "./freshness.ts";
import { createListeners } from "./listeners.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refusal is final; only missing answers and outages are retried.
      retry: (count, error) => error instanceof ApiError && isAway(error.status) && count < 2,
      refetchIntervalInBackground: false,
      // A browser without a network reports being offline, but the service may run on the same machine.
      networkMode: "always",
      refetchOnReconnect: true,
    },
    // Nor does a change wait for a network, only to be made when the person no longer expects it.
    mutations: { networkMode: "always" },
  },
});

/**
 * Reads an operation's answer and refreshes it. `every`: another interval in ms, or false. `keep`: for a list, keeps showing the previous
 * answer until the new one arrives.
 */
export function useRead<N extends OperationName>(
  name: N,
  input: Input<N>,
  { every, enabled = true, keep = false }: { every?: number | false; enabled?: boolean; keep?: boolean } = {},
) {
  return useQuery<Output<N>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, { ...input, signal }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    enabled,
    refetchInterval: () => nextReadMs(every),
  });
}

/**
 * Reads what is expensive for the service at its own interval, ms, instead of at each hint. `key`: everything that the read depends on; the
 * previous answer is shown until the new one arrives.
 */
export function usePaced<T>(
  name: OperationName,
  key: readonly unknown[],
  paceMs: number,
  read: (signal: AbortSignal) => Promise<T>,
) {
  // A paused page resumes.
  useFreshness();
  return useQuery<T, ApiError>({
    queryKey: [name, ...key],
    queryFn: ({ signal }) => read(signal),
    placeholderData: keepPreviousData,
    meta: { paceMs },
    staleTime: paceMs,
    refetchInterval: () => nextReadMs(paceMs),
  });
}

/** Whether a query has no interval of its own, or that interval has passed. */
const isDue = ({ meta, state }: Pick<Query, "meta" | "state">): boolean =>
  typeof meta?.paceMs !== "number" ||
  (state.fetchStatus === "idle" && Date.now() - state.dataUpdatedAt >= meta.paceMs);

interface Page<T> {
  data: T[];
  next_cursor: string | null;
  /** For a list with a search: how far this page got. Null if it covered everything. */
  searched_until?: string | null;
}

type Item<N extends OperationName> = Output<N> extends { data: (infer T)[] } ? T : never;

/** Only the first page of a list that was paged through is checked: reading again would read every page. */
const pagesRead = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages?.length ?? 0;

/** Called with the operations whose answers changed. */
const updates = createListeners<ReadonlySet<string>>();

/** Reads the operations' answers again; lists that were paged through report that there are updates instead. */
export function readAgain(names: ReadonlySet<string> | "all"): void {
  void queryClient.invalidateQueries({
    predicate: (query) =>
      (names === "all" || names.has(String(query.queryKey[0]))) &&
      pagesRead(query.state.data) < 2 &&
      isDue(query),
  });
  if (names !== "all") updates.call(names);
}

/**
 * Whether a list that was paged through has changed, as far as is known. Hints report it; if hints may be missing, its first page shows it,
 * read as often as a list of one page. `clear`: the changes so far are about to be shown.
 */
function useUpdates<T>(
  name: OperationName,
  input: unknown,
  shown: Page<T> | undefined,
  readFirst: (signal: AbortSignal) => Promise<Page<T>>,
): { hasUpdates: boolean; clear: () => void } {
  const [hasUpdates, setHasUpdates] = useState(false);
  const isLong = shown !== undefined;
  const first = useQuery<Page<T>, ApiError>({
    // Not the operation's own name: a hint already says what reading would show.
    queryKey: ["first page", name, input],
    queryFn: ({ signal }) => readFirst(signal),
    enabled: isLong,
    gcTime: 0,
    ...(isLong ? { initialData: shown } : {}),
    refetchInterval: () => nextReadMs(undefined),
  });
  const compared = useRef<Page<T> | undefined>(undefined);
  useEffect(() => {
    if (first.data === undefined || first.data === compared.current) return;
    compared.current = first.data;
    if (isLong && JSON.stringify(first.data.data) !== JSON.stringify(shown.data)) setHasUpdates(true);
  }, [first.data, isLong, shown]);
  useEffect(() => {
    if (!isLong) setHasUpdates(false);
    return updates.listen((names) => {
      if (isLong && names.has(name)) setHasUpdates(true);
    });
  }, [isLong, name]);
  return { hasUpdates, clear: () => setHasUpdates(false) };
}

/** How many of the first pages contain this many rows; all if they contain fewer. */
function pagesOf(pages: readonly Page<unknown>[], rows: number): number {
  let count = 0;
  for (let held = 0; count < pages.length && (count === 0 || held < rows); count++)
    held += pages[count]?.data.length ?? 0;
  return count;
}

/**
 * Reads a list page by page. `hasUpdates`: the displayed rows are no longer the newest; `refresh` reads the first pages again, as many as
 * contain this many rows. `readFrom` reads one page beside them.
 */
export function usePages<N extends OperationName>(name: N, input: Input<N>) {
  const client = useQueryClient();
  const queryKey = [name, "pages", input];
  const read = async (cursor: string | null, signal: AbortSignal, limit?: number): Promise<Page<Item<N>>> => {
    const { query, ...rest } = input as { query?: Record<string, unknown> };
    const page = await call(name, {
      ...rest,
      query: {
        limit: 50,
        ...query,
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === null ? {} : { cursor }),
      },
      signal,
    } as unknown as Input<N>);
    return page as unknown as Page<Item<N>>;
  };
  const result = useInfiniteQuery<
    Page<Item<N>>,
    ApiError,
    InfiniteData<Page<Item<N>>>,
    unknown[],
    string | null
  >({
    queryKey,
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    placeholderData: keepPreviousData,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => (pagesRead(state.data) > 1 ? false : nextReadMs(undefined)),
    // Likewise for the other reasons to read again: the window's focus and the network's return.
    refetchOnWindowFocus: ({ state }) => pagesRead(state.data) < 2,
    refetchOnReconnect: ({ state }) => pagesRead(state.data) < 2,
  });
  const { data, isPlaceholderData } = result;
  const isLong = pagesRead(data) > 1 && !isPlaceholderData;
  const { hasUpdates, clear } = useUpdates(name, input, isLong ? data?.pages[0] : undefined, (signal) =>
    read(null, signal),
  );
  const refresh = async (rows = 0) => {
    clear();
    client.setQueryData<InfiniteData<Page<Item<N>>>>(queryKey, (known) => {
      if (known === undefined) return known;
      const count = pagesOf(known.pages, rows);
      return { pages: known.pages.slice(0, count), pageParams: known.pageParams.slice(0, count) };
    });
    await result.refetch();
  };
  // A list is rendered often while it scrolls, so values derived from its rows are computed once per read.
  const items = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  return { ...result, items, hasUpdates, refresh, readFrom: read };
}

/** A change. Everything on the screen is read again once it succeeds; other cached reads, when they are next shown. */
export function useChange<N extends OperationName>(name: N) {
  const client = useQueryClient();
  const asked = useRef(new Map<string, Promise<Output<N>>>());
  return useMutation<Output<N>, ApiError, Input<N>>({
    // A secret in the answer is not kept once its component is gone.
    gcTime: 0,
    // A second click that comes before its button is off asks for nothing more.
    mutationFn: (values) => {
      const input = JSON.stringify(values);
      const reply = asked.current.get(input) ?? call(name, values).finally(() => asked.current.delete(input));
      asked.current.set(input, reply);
      return reply;
    },
    // A read without a session would wait for the sign-in.
    onSuccess: (_reply, { params }) =>
      changesSession(name)
        ? undefined
        : client.invalidateQueries({
            // What is deleted is not read again: its page is about to be left.
            predicate: ({ queryKey }) =>
              !name.startsWith("delete") || !JSON.stringify(queryKey).includes(JSON.stringify(params)),
          }),
  });
}
