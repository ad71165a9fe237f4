// Reading through a cache: one key for each operation and its input.

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
import { ApiError, call, type Input, type OperationName, type Output } from "./client.ts";
import { nextReadMs, useFreshness } from "./freshness.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // What the service refused it refuses again; only silence and an outage pass.
      retry: (count, error) =>
        error instanceof ApiError && (error.status === 0 || error.status === 503) && count < 2,
      refetchIntervalInBackground: false,
      // A browser without a network calls itself offline; the service may run on the same machine.
      networkMode: "always",
      refetchOnReconnect: true,
    },
    // Nor does a change wait for a network, to be made when a person no longer expects it.
    mutations: { networkMode: "always" },
  },
});

/**
 * Reads an operation's answer and keeps it fresh. `every`: another interval in ms, or false. `keep`: of a list, what was shown stays
 * until what was asked for instead is there.
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
 * Reads what costs the service much at a pace of its own, ms, and not at each hint that it changed. `key`: all that the reading depends
 * on; what was shown stays until another one is there.
 */
export function usePaced<T>(
  name: OperationName,
  key: readonly unknown[],
  paceMs: number,
  read: (signal: AbortSignal) => Promise<T>,
) {
  // A page that was paused goes on.
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

/** Whether a query has no pace of its own, or is not ahead of it. */
const isDue = ({ meta, state }: Pick<Query, "meta" | "state">): boolean =>
  typeof meta?.paceMs !== "number" ||
  (state.fetchStatus === "idle" && Date.now() - state.dataUpdatedAt >= meta.paceMs);

interface Page<T> {
  data: T[];
  next_cursor: string | null;
  /** Of a list that is searched: how far this page looked. Null if it looked at all. */
  searched_until?: string | null;
}

type Item<N extends OperationName> = Output<N> extends { data: (infer T)[] } ? T : never;

/** Of a list that was paged through only the first page is looked at: reading again would read every page of it. */
const pagesRead = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages?.length ?? 0;

/** Called with the operations of whose answers something changed. */
const updateListeners = new Set<(names: ReadonlySet<string>) => void>();

/** Reads again what the operations have read; lists that were paged through report that there are updates instead. */
export function readAgain(names: ReadonlySet<string> | "all"): void {
  void queryClient.invalidateQueries({
    predicate: (query) =>
      (names === "all" || names.has(String(query.queryKey[0]))) &&
      pagesRead(query.state.data) < 2 &&
      isDue(query),
  });
  if (names !== "all") for (const listener of updateListeners) listener(names);
}

/**
 * Whether a list that was paged through has changed, as far as is known. A hint says so; where hints may be missing its first page
 * says it, read as often as a list of one page. `clear`: what has changed by now is about to be shown.
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
    // Not the operation's own name: a hint says by itself what reading would.
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
    const listen = (names: ReadonlySet<string>) => {
      if (isLong && names.has(name)) setHasUpdates(true);
    };
    updateListeners.add(listen);
    return () => {
      updateListeners.delete(listen);
    };
  }, [isLong, name]);
  return { hasUpdates, clear: () => setHasUpdates(false) };
}

/** So many of the first pages have that many rows, or all. */
function pagesOf(pages: readonly Page<unknown>[], rows: number): number {
  let count = 0;
  for (let held = 0; count < pages.length && (count === 0 || held < rows); count++)
    held += pages[count]?.data.length ?? 0;
  return count;
}

/**
 * Reads a list page by page. `hasUpdates`: what it shows is not the newest any more; `refresh` reads its first page again, and those after
 * it that hold so many rows.
 */
export function usePages<N extends OperationName>(name: N, input: Input<N>) {
  const client = useQueryClient();
  const queryKey = [name, "pages", input];
  const read = async (cursor: string | null, signal: AbortSignal): Promise<Page<Item<N>>> => {
    const { query, ...rest } = input as { query?: Record<string, unknown> };
    const page = await call(name, {
      ...rest,
      query: { limit: 50, ...query, ...(cursor === null ? {} : { cursor }) },
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
    // The same for what makes it read again besides: the window's focus and the line's return.
    refetchOnWindowFocus: ({ state }) => pagesRead(state.data) < 2,
    refetchOnReconnect: ({ state }) => pagesRead(state.data) < 2,
  });
  const { data, isPlaceholderData } = result;
  const isLong = pagesRead(data) > 1 && !isPlaceholderData;
  const updates = useUpdates(name, input, isLong ? data?.pages[0] : undefined, (signal) =>
    read(null, signal),
  );
  const refresh = async (rows = 0) => {
    updates.clear();
    client.setQueryData<InfiniteData<Page<Item<N>>>>(queryKey, (known) => {
      if (known === undefined) return known;
      const count = pagesOf(known.pages, rows);
      return { pages: known.pages.slice(0, count), pageParams: known.pageParams.slice(0, count) };
    });
    await result.refetch();
  };
  // A list is drawn often while it is scrolled: what is made from its rows is made once for each reading.
  const items = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  return {
    ...result,
    items,
    hasUpdates: updates.hasUpdates,
    refresh,
  };
}

/** A change. Everything on the screen is read again once it succeeds; other cached reads, when they are next shown. */
export function useChange<N extends OperationName>(name: N) {
  const client = useQueryClient();
  return useMutation<Output<N>, ApiError, Input<N>>({
    // A secret in the answer is not kept once its component has gone.
    gcTime: 0,
    mutationFn: (input) => call(name, input),
    onSuccess: () => client.invalidateQueries(),
  });
}
