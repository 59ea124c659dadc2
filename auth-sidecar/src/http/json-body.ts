import express, { type RequestHandler } from "express";
import { SidecarError } from "../errors.ts";

/** Reads a JSON object or array. Other types are rejected, even where no body is needed. @param required whether the body is */
export function jsonBody(limitKilobytes: number, { required }: { readonly required: boolean }): RequestHandler[] {
  return [
    (request, _response, next) => {
      const hasBody =
        request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
      const isJson = request.is("application/json") !== false;
      if ((hasBody && !isJson) || (required && !declaresJson(request.headers["content-type"])))
        throw new SidecarError("unsupported-media-type");
      if (required && !hasBody) throw new SidecarError("malformed-json");
      next();
    },
    express.json({ limit: limitKilobytes * 1024, strict: true, inflate: false, type: "application/json" }),
  ];
}

function declaresJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? "");
}
