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

/** What the list shows where the person gave no name. */
export const DEFAULT_LABEL = 'Passkey'
