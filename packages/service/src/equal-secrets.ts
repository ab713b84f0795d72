/** Time depends on the length of what was presented and on nothing of the secret. */
export function equalSecrets(presented: string, secret: string): boolean {
  const encoder = new TextEncoder()
  const a = encoder.encode(presented)
  const b = encoder.encode(secret)
  const same = a.length === b.length
  return crypto.subtle.timingSafeEqual(a, same ? b : a) && same
}
