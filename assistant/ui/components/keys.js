/** A new idempotency key; `crypto.randomUUID` is missing on plain http beyond localhost. */
export function mintKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
