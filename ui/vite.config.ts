import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npx vite ui`: the dashboard with hot reloading, over the service at its usual address. */
const proxied = ["/api", "/docs", "/openapi.json", "/setup", "/health"];

export default defineConfig({
  plugins: [react()],
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, "http://127.0.0.1:8080"])) },
  build: {
    target: "es2024",
    // A data: URL in a style or script would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
});
