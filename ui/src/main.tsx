import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/geist";
import "@fontsource-variable/geist-mono";
import { queryClient } from "#ui/api/queries.ts";
import { router } from "#ui/app/routes.ts";
import { Toasts } from "#ui/parts/over/toast.tsx";
import { applyPreferences } from "#ui/parts/preferences.ts";
import "./look/tokens.css";
import "./look/ground.css";
import "./look/parts.css";
import "./look/form.css";
import "./look/list.css";
import "./look/story.css";
import "./look/talk.css";
import "./look/tiers.css";
import "./look/link.css";
import "./look/over-time.css";
import "./look/over.css";
import "./look/frame.css";

applyPreferences();

const element = document.getElementById("root");
if (element === null) throw new Error("The document has no place for the dashboard.");
createRoot(element).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
    <Toasts />
  </CSPProvider>,
);
