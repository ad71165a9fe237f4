import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** `npx vite ui`: the dashboard with hot reloading, over the service at its usual address. */
const proxied = ["/api", "/docs", "/openapi.json", "/setup", "/health"];

/** The fonts that every page needs are asked for with the document, so that no text moves when they come. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((name) => /geist(-mono)?-latin-wght-normal.*\.woff2$/.test(name))
        .map((name) => ({
          tag: "link",
          attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `/${name}` },
          injectTo: "head",
        })),
  },
};

export default defineConfig({
  plugins: [react(), preloadFonts],
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, "http://127.0.0.1:8080"])) },
  build: {
    target: "es2024",
    // A data: URL in a style or script would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Small parts that many pages share come in one file: a request costs more than the bytes of another page's part.
    rolldownOptions: {
      output: {
        // The set-up page, which is no part of this build, names the letters of Latin.
        assetFileNames: ({ names }) =>
          names.includes("geist-latin-wght-normal.woff2")
            ? "assets/[name][extname]"
            : "assets/[name]-[hash][extname]",
        codeSplitting: {
          groups: [
            { name: "shell", tags: ["$initial"] },
            { name: "parts", test: /lucide-react.*icons|ui\/src\/(?:words|parts\/(?!form|list|over))/ },
          ],
        },
      },
    },
  },
});
