/**
 * What a signature counter says (WebAuthn level 3, section 6.1.1). Pure.
 *
 * @module
 */

/**
 * Zero and zero is an authenticator that does not count. Anything else must have grown: an older count is the sign of
 * a copy of the key.
 */
export function counterAdvances(stored: number, presented: number): boolean {
  return (stored === 0 && presented === 0) || presented > stored
}

/** Whether a page of another origin had this one in a frame (section 5.8.1): nobody sees where a prompt comes from then. */
export function wasFramed(clientDataJSON: Uint8Array): boolean {
  const data = JSON.parse(new TextDecoder().decode(clientDataJSON)) as { crossOrigin?: unknown; topOrigin?: unknown }
  return (data.crossOrigin ?? false) !== false || data.topOrigin !== undefined
}

/** What the list shows where the person gave no name. */
export const DEFAULT_LABEL = 'Passkey'
