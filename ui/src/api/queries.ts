// Reading through a cache: one key for each operation and its input, so that a change names what it touches.

import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { ApiError, call, type Input, type OperationName, type Output } from "./client.ts";

/** How often what is on the screen is read again, ms. */
const refreshMs = 5_000;

/** Nothing is read by itself without a session: the service counts wrong credentials and then refuses a client. */
export const reading = { paused: false };

const unlessPaused = (ms: number | false) => () => (reading.paused ? false : ms);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // What the service refused it refuses again; only silence and an outage pass.
      retry: (count, error) =>
        error instanceof ApiError && (error.status === 0 || error.status === 503) && count < 2,
      refetchIntervalInBackground: false,
    },
  },
});

/** Reads an operation's answer and keeps it fresh. `every`: another interval in ms, or false. */
export function useRead<N extends OperationName>(
  name: N,
  input: Input<N>,
  { every, enabled = true }: { every?: number | false; enabled?: boolean } = {},
) {
  return useQuery<Output<N>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, { ...input, signal }),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: unlessPaused(every ?? refreshMs),
  });
}

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

type Item<N extends OperationName> = Output<N> extends { data: (infer T)[] } ? T : never;

/** Reads a list page by page. */
export function usePages<N extends OperationName>(name: N, input: Input<N>) {
  const queryKey = [name, "pages", input];
  const result = useInfiniteQuery<
    Page<Item<N>>,
    ApiError,
    InfiniteData<Page<Item<N>>>,
    unknown[],
    string | null
  >({
    queryKey,
    initialPageParam: null,
    queryFn: async ({ pageParam, signal }) => {
      const { query, ...rest } = input as { query?: Record<string, unknown> };
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      const page = await call(name, {
        ...rest,
        query: { limit: 50, ...query, ...cursor },
        signal,
      } as unknown as Input<N>);
      return page as unknown as Page<Item<N>>;
    },
    getNextPageParam: (page) => page.next_cursor,
    // Reading again what was paged through would read every page of it.
    refetchInterval: ({ state }) =>
      reading.paused || (state.data?.pages.length ?? 0) > 1 ? false : refreshMs,
  });
  return { ...result, items: result.data?.pages.flatMap((page) => page.data) ?? [] };
}

/** A change. What the named operations have read is read again once it is done. */
export function useChange<N extends OperationName>(name: N, touches: readonly OperationName[] = []) {
  const client = useQueryClient();
  return useMutation<Output<N>, ApiError, Input<N>>({
    // A secret in the answer is not kept once its component has gone.
    gcTime: 0,
    mutationFn: (input) => call(name, input),
    onSuccess: () => Promise.all(touches.map((touched) => client.invalidateQueries({ queryKey: [touched] }))),
  });
}
