import { EngineError } from "../errors.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import { cookieValue, headerValue, type RequestHeaders } from "./request-headers.ts";

const bearer = /^\s*Bearer\s+(\S+)\s*$/;

/**
 * The raw token of a request, from the place in the settings; undefined when there is none.
 * @throws EngineError `invalid-headers` for an Authorization header of another form.
 */
export function tokenOf(headers: RequestHeaders, where: JwtSettings["header"]): string | undefined {
  if (where.type === "Cookie") {
    const cookies = headerValue(headers, "cookie");
    return cookies === undefined ? undefined : cookieValue(cookies, where.name);
  }
  if (where.type === "CustomHeader") {
    const value = headerValue(headers, where.name)?.trim();
    return value === undefined ? undefined : (bearer.exec(value)?.[1] ?? value);
  }
  const value = headers.authorization;
  if (value === undefined) return undefined;
  const token = bearer.exec(value)?.[1];
  if (token === undefined) throw new EngineError({ code: "invalid-headers", message: "Malformed Authorization header" });
  return token;
}
