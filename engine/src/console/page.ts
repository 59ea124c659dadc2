import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Reply } from "../http/reply.ts";

/** Answers `/console`, and `/` with the way there. */
export type ConsolePage = (path: string) => Reply & { readonly text: string };

const read = (name: string): string => readFileSync(new URL(`page/${name}`, import.meta.url), "utf8");
const source = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** The console: one page that loads nothing, and whose script and style are the only ones the browser may run. */
export function createConsolePage(): ConsolePage {
  const style = read("console.css");
  const script = read("console.js");
  const page = read("console.html")
    .replace("<!-- style -->", () => `<style>${style}</style>`)
    .replace("<!-- script -->", () => `<script>${script}</script>`);
  const policy = [
    "default-src 'none'",
    `script-src ${source(script)}`,
    `style-src ${source(style)}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const headers = {
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };
  return (path) =>
    path === "/"
      ? {
          status: 302,
          text: "",
          contentType: "text/plain; charset=utf-8",
          headers: { location: "/console", "cache-control": "no-store" },
        }
      : { status: 200, text: page, contentType: "text/html; charset=utf-8", headers };
}
