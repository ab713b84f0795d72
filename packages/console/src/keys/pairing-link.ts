/** What the side that has the root key shows: code, token and DID, about 110 characters. */
export interface PairingLink {
  readonly code: string
  readonly token: string
  readonly did: string
}

/** As text, to be typed or pasted on the other device. */
export const pairingText = ({ code, token, did }: PairingLink): string => [code, token, did].join('.')

/** As an address that opens the console of the other device. A fragment is not sent to a server. */
export const pairingUrl = (origin: string, link: PairingLink): string => `${origin}/pair#${pairingText(link)}`

/** Reads either; null if it is neither. */
export function parsePairing(given: string): PairingLink | null {
  const text = given.trim()
  const [code = '', token = '', did = '', ...more] = text.slice(text.indexOf('#') + 1).split('.')
  const isLink = code !== '' && token !== '' && /^did:svc:[A-Za-z0-9_-]{32}$/.test(did) && more.length === 0
  return isLink ? { code, token, did } : null
}
