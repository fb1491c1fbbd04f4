/** The calls about devices. They are HTTP and not Reflex's socket, since one of them sets the owner's cookie. */

import { getBackendURL } from "$/utils/state";

/** A refusal: `told` is the server's problem with its `code`, for which the tables have words (`said`). */
export class Refusal extends Error {
  constructor(told) {
    super(told.code);
    Object.assign(this, { code: told.code, told });
  }
}

/** The answer as JSON, null for an empty one; throws a Refusal. */
export async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(new URL(path, origin()), {
      method,
      credentials: "include",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new Refusal({ code: "unreachable" });
  }
  const told = answer.status === 204 ? null : await answer.json().catch(() => ({}));
  if (answer.ok) return told;
  throw new Refusal(answer.status < 500 && told?.code ? told : { code: "unknown" });
}

/** Where the API is: in two-port development it has a port of its own. */
export function origin() {
  if (typeof window === "undefined") return "";
  return import.meta.env?.DEV ? new URL(getBackendURL()).origin : window.location.origin;
}
