import { createHash } from "node:crypto";

export interface ContextFile {
  /** Relative to the context, with slashes. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
}

export interface HashedContent {
  readonly texts: Readonly<Record<string, string>>;
  readonly files: readonly ContextFile[];
}

const digest = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** SHA-256, hexadecimal, of texts and files: of their names, contents and executable bits, in any order. */
export function contentHash({ texts, files }: HashedContent): string {
  const lines = [
    ...Object.entries(texts).map(([name, text]) => ["text", name, digest(text)]),
    ...files.map(({ path, content, executable }) => [executable ? "executable" : "file", path, digest(content)]),
  ];
  return digest(
    lines
      .map((line) => JSON.stringify(line))
      .sort()
      .join("\n"),
  );
}
