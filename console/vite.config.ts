import { defineConfig } from "vite";

/** The gateway serves index.html at `/` and everything else below `/console/` (nginx/configuration/routes/console.conf). */
export default defineConfig({
  base: "/console/",
  worker: { format: "es" },
  // Monaco Editor alone exceeds the default of 500 kB.
  build: { target: "es2023", chunkSizeWarningLimit: 5_000 },
});
