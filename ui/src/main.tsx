import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "#ui/api/queries.ts";
import { router } from "#ui/app/routes.ts";
import "./look/tokens.css";
import "./look/look.css";

const theme = localStorage.getItem("theme");
if (theme !== null) document.documentElement.dataset.theme = theme;

const element = document.getElementById("root");
if (element === null) throw new Error("The document has no place for the dashboard.");
createRoot(element).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
