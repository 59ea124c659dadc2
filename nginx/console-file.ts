import type { ConsolePage } from "./settings.ts";

/** Name of the file with the page, beside the configuration. */
export const consolePageFile = "console.html";

/** console.conf for a gateway that has the console's page itself: the engine behind it then serves nothing but its API. */
export function renderConsole({ policy }: ConsolePage): string {
  return `# Rendered from the deployment's settings by render.ts; an edit here is lost.

# (1) The page is a file beside this one; it asks for the master key and sends it with its queries to /api/graphql.
location = / {
  if ($console = off) { return 404; }
  if ($request_method !~ ^(GET|HEAD)$) { return 405; }
  root /run/routeql/nginx;
  types { }
  default_type text/html; # without the character set, which would keep the page from being compressed
  charset utf-8;
  etag off;
  if_modified_since off;
  add_header Cache-Control             no-store                   always;
  add_header Content-Security-Policy   "${policy}" always;
  add_header Referrer-Policy           no-referrer                always;
  add_header Strict-Transport-Security $strict_transport_security always;
  add_header X-Content-Type-Options    nosniff                    always;
  add_header X-Frame-Options           DENY                       always;
  add_header X-Request-ID              $request_id                always;
  try_files /${consolePageFile} =404;
}
`;
}
