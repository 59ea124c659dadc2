import { decodeText, readText, UnreadableText } from "@routeql/contract/written-text";
import { unreadable } from "@routeql/database-access/unreadable";
import { parseVrps, type VrpList, VrpListError } from "./vrps.ts";

/** Lists have about 60 MB. */
const largest = 512 * 1024 * 1024;
const timeout = 120_000;

/** @param signal ends a download @throws VrpListError if the file or address cannot be read */
export async function readVrps(source: string, signal?: AbortSignal): Promise<VrpList> {
  return parseVrps(/^https?:/.test(source) ? await download(addressOf(source), signal) : readFile(source), source);
}

function readFile(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    const reason = error instanceof UnreadableText ? error.message : unreadable(error);
    if (reason === undefined) throw error;
    throw new VrpListError(`${file} cannot be read: ${reason}`);
  }
}

function addressOf(text: string): URL {
  const address = URL.parse(text);
  if (address === null) throw new VrpListError("the address is no URL");
  if (address.username !== "" || address.password !== "")
    throw new VrpListError("the address has a user or a password, which would be visible. Use one without them");
  return address;
}

async function download(address: URL, stopping?: AbortSignal): Promise<string> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), ...(stopping === undefined ? [] : [stopping])]);
    const answer = await fetch(address, { signal });
    if (!answer.ok) throw new VrpListError(`${address.href} answered ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > largest) throw new VrpListError(`${address.href} sent more than 512 MiB`);
      chunks.push(chunk);
    }
    return decodeText(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof VrpListError) throw error;
    const { message, cause } = error as Error;
    throw new VrpListError(`${address.href} cannot be read: ${cause instanceof Error ? cause.message : message}`);
  }
}
