// Links of the router with the styles that pages need.

import { createLink } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ComponentProps } from "react";

/** The link back to the list that a page belongs to. `of`: the name of the list. */
export const Back = createLink(({ of, ...props }: ComponentProps<"a"> & { of: string }) => (
  <a {...props} className="back">
    <ChevronLeft aria-hidden="true" />
    {of}
  </a>
));

/** The link of a row or tile, which covers all of it. */
export const RowLink = createLink((props: ComponentProps<"a">) => <a {...props} className="row-link" />);
