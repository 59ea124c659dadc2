/** The API server's Status of a rejected request. */
interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** A request that the API server rejected. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly code: number;
  readonly reason: string | undefined;
  readonly causes: readonly { readonly field: string; readonly message: string }[];

  constructor(code: number, body: string) {
    const status = parseStatus(body);
    super(status?.message ?? `the API server answered ${code}: ${body.slice(0, 500)}`);
    this.name = "ApiError";
    this.code = code;
    this.reason = status?.reason;
    this.causes = (status?.details?.causes ?? []).map(({ field = "", message = "" }) => ({ field, message }));
  }

  /** The immutable fields that the request tried to change. */
  get immutableFields(): readonly string[] {
    if (this.code !== 422) return [];
    const fields = this.causes.filter(({ message }) => isImmutable(message)).map(({ field }) => field);
    return fields.length > 0 || !isImmutable(this.message) ? fields : ["spec"];
  }
}

const isImmutable = (message: string): boolean =>
  /immutable|may not change once set|updates to .* (are|is) forbidden|may not be changed/i.test(message);

function parseStatus(body: string): Status | undefined {
  try {
    return JSON.parse(body) as Status;
  } catch {
    return undefined;
  }
}

/** Undefined when the object does not exist; any other failure is thrown. */
export async function orUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}
