/**
 * The span of the request that runs now, for code that many requests reach through layers without a parameter for it.
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Attributes, inSpan, type Span, type SpanKind } from "./span.ts";

const storage = new AsyncLocalStorage<Span | undefined>();

/** Runs work, and everything that it starts, with this span. */
export function withSpan<Result>(span: Span, work: () => Result): Result {
  return storage.run(span, work);
}

/** Runs work that several requests share, so that none of their spans gets it as a child. */
export function withoutSpan<Result>(work: () => Result): Result {
  return storage.getStore() === undefined ? work() : storage.run(undefined, work);
}

/** Runs work in a child of the current span; without a current span only the work runs. */
export function inCurrentSpan<Result>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Result,
): Result {
  return inSpan(storage.getStore(), name, kind, attributes, work);
}
