// Links of the router with the styles that pages need.

import { createLink } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ComponentProps } from "react";

/** The link back to the list that a page belongs to. */
export const Back = createLink(({ children, ...props }: ComponentProps<"a">) => (
  <a {...props} className="back">
    <ChevronLeft aria-hidden="true" />
    {children}
  </a>
));

/** The link of a row or tile, which covers all of it. */
export const RowLink = createLink(({ className, ...props }: ComponentProps<"a"> & { mono?: boolean }) => (
  <a {...props} className="row-link" />
));
