import { readText, UnreadableText } from "@routeql/contract/written-text";
import { unreadable } from "@routeql/database-access/unreadable";
import type { ByteSource } from "../formats/records.ts";
import { parseVrps, type VrpList, VrpListError } from "./vrps.ts";

/** Lists have about 60 MB, with the sources of each payload 300 MB. */
const largest = 512 * 1024 * 1024;
const timeout = 120_000;

/** @param signal ends a download @throws VrpListError if the file or address cannot be read */
export async function readVrps(source: string, signal?: AbortSignal): Promise<VrpList> {
  return parseVrps(/^https?:/.test(source) ? download(addressOf(source), signal) : readFile(source), source);
}

async function* readFile(file: string): ByteSource {
  try {
    yield Buffer.from(readText(file));
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

async function* download(address: URL, stopping?: AbortSignal): ByteSource {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), ...(stopping === undefined ? [] : [stopping])]);
    // A validator could otherwise choose which address of its network the feed reads.
    const answer = await fetch(address, { signal, redirect: "manual" });
    const elsewhere = answer.headers.get("location");
    if (answer.status >= 300 && answer.status < 400 && elsewhere !== null)
      throw new VrpListError(`${address.href} redirects to ${elsewhere}. Give the address that has the list`);
    if (!answer.ok) throw new VrpListError(`${address.href} answered ${answer.status}`);
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > largest) throw new VrpListError(`${address.href} sent more than 512 MiB`);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  } catch (error) {
    if (error instanceof VrpListError) throw error;
    const { message, cause } = error as Error;
    throw new VrpListError(`${address.href} cannot be read: ${cause instanceof Error ? cause.message : message}`);
  }
}
