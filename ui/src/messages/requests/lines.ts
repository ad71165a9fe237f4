// A list of messages as rows, one of which may represent all messages of a request.

import { useEffect, useMemo, useRef, useState } from "react";
import type { usePages } from "#ui/api/queries.ts";
import type { MessageRecord } from "#ui/api/schema.ts";
import { lineOf, linesOf } from "./folds.ts";

/**
 * The pages of waiting messages as rows. Messages of a collapsed request add no new row, so reading continues until something else comes,
 * or the page is left. `folds`: whether requests are rows.
 */
export function useLines(pages: ReturnType<typeof usePages<"listAccountMessages">>, folds: boolean) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const isReading = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const { items } = pages;
  const last = items.at(-1)?.request_id;
  const fetchNextPage = async () => {
    if (isReading.current) return;
    isReading.current = true;
    const isFolded = ({ request_id: request }: MessageRecord) =>
      folds && request === last && !open.has(request);
    let read = await pages.fetchNextPage();
    while (
      !isGone.current &&
      read.hasNextPage &&
      !read.isError &&
      read.data?.pages.at(-1)?.data.every(isFolded)
    )
      read = await pages.fetchNextPage();
    isReading.current = false;
  };
  const show = (request: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(request);
    else next.delete(request);
    setOpen(next);
  };
  const lines = useMemo(() => (folds ? linesOf(items, open) : items.map(lineOf)), [items, open, folds]);
  const readFrom = async (...from: Parameters<typeof pages.readFrom>) => {
    const page = await pages.readFrom(...from);
    return { ...page, data: page.data.map(lineOf) };
  };
  return { lines: { ...pages, items: lines, fetchNextPage, readFrom }, show };
}
