/** Takes time that depends on the length of the presented value and not on the secret. */
export function equalSecrets(presented: string, secret: string): boolean {
  const encoder = new TextEncoder()
  const a = encoder.encode(presented)
  const b = encoder.encode(secret)
  const same = a.length === b.length
  return crypto.subtle.timingSafeEqual(a, same ? b : a) && same
}
