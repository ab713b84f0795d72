/**
 * How to judge a signature counter (WebAuthn level 3, section 6.1.1). Pure.
 *
 * @module
 */

/**
 * Zero twice means that the authenticator does not count. Any other counter must have increased: an older one indicates
 * a copy of the key.
 */
export function counterAdvances(stored: number, presented: number): boolean {
  return (stored === 0 && presented === 0) || presented > stored
}

/** Whether a page of another origin framed this one (section 5.8.1): the person then cannot see where a prompt comes from. */
export function wasFramed(clientDataJSON: Uint8Array): boolean {
  const data = JSON.parse(new TextDecoder().decode(clientDataJSON)) as { crossOrigin?: unknown; topOrigin?: unknown }
  return (data.crossOrigin ?? false) !== false || data.topOrigin !== undefined
}

/** Shown in the list if the person gave no name. */
export const DEFAULT_LABEL = 'Passkey'
