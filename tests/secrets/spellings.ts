/** All spellings of a secret: unchanged, and in the encodings of logs, addresses, headers and states. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      hex,
      hex.toUpperCase(),
      ...base64(bytes),
      ...base64(bytes).map(toUrl),
    ]),
  ];
}

/** Within a longer text the same bytes have three base64 spellings, depending on their position; digits that depend on adjacent bytes are omitted. */
function base64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(first, last);
  });
}

const toUrl = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_");
