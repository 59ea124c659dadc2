/** Origins (RFC 6454) as browsers and the web views of applications send them. */

/** Browsers also open names with an underscore. */
const names = "[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*";
const webOrigin = new RegExp(`^https?://(?:${names}|\\[[0-9a-f:]+\\])(?::[1-9][0-9]{0,4})?$`);
/** Of applications and of browser extensions. Electron's examples have the hosts `.` and `-`. */
const ownOrigin = new RegExp(`^[a-z][a-z0-9+.-]*://(?:\\.|${names})(?::[1-9][0-9]{0,4})?$`);
const extension = /^chrome-extension:\/\/(?![a-p]{32}(?:\/|$))/;

/** Room for a host and a port; `map_hash_bucket_size` of nginx must be larger. */
const longest = 300;

/** Schemes whose pages have no origin of their own, and those that no page has. */
const withoutOrigin = /^(?:null$|(?:file|data|blob|about|content|javascript|filesystem):)/i;
const ofSockets = /^ws(s?):/i;
const mistyped = /^(?!https?:)h*t+p*s*:/i;

const written = (url: URL): string => {
  const scheme = url.protocol.toLowerCase();
  return url.origin === "null" ? `${scheme}//${url.host}` : url.origin;
};

/** Why no browser sends a text in the header `Origin`; undefined for an origin. Empty for a text that is far from one. */
export function originProblem(text: string): string | undefined {
  if (text.includes("*")) return "browsers send no patterns. Name each origin, or allow all by * alone";
  if (/[\s;]/.test(text)) return "separate origins by commas";
  if (text.length > longest) return `it is longer than ${longest} characters`;
  if (withoutOrigin.test(text))
    return "pages of every site can send null. Load the page from a web server, or from the scheme of its framework";
  if (ofSockets.test(text)) return `write http${ofSockets.exec(text)?.[1] ?? ""}://, because the page's address counts`;
  if (mistyped.test(text)) return "write http:// or https://";
  const url = URL.parse(text);
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "";
  if (/^https?:$/.test(url.protocol)) {
    if (!webOrigin.test(url.origin)) return "its host is no name or address";
    return url.origin === text ? undefined : `write ${url.origin}`;
  }
  if (extension.test(text)) return "the identifier of an extension has 32 letters from a to p";
  if (ownOrigin.test(text)) return undefined;
  return ownOrigin.test(written(url)) && url.username === "" ? `write ${written(url)}` : "its host is no name";
}
