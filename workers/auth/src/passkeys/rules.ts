/**
 * How to judge what an authenticator says (WebAuthn level 3). Pure.
 *
 * @module
 */

/**
 * Section 6.1.1. Zero twice means that the authenticator does not count. Any other counter must have increased: an older
 * one indicates a copy of the key.
 */
export function counterAdvances(stored: number, presented: number): boolean {
  return (stored === 0 && presented === 0) || presented > stored
}

/**
 * Whether copies of the key may exist. Section 7.2 says that this never changes and refuses a sign-in where it does. It
 * does change: password managers that had reported `false` began to report the truth, and an import into an older one goes
 * the other way. The person with the key would be locked out for good, and nobody be kept out: who has the key signs
 * either value. So both are taken, and what may once have been copied stays so.
 */
export function mayBeCopied(stored: boolean, presented: boolean): boolean {
  return stored || presented
}

/** Whether a page of another origin framed this one (section 5.8.1): the person then cannot see where a prompt comes from. */
export function wasFramed(clientDataJSON: Uint8Array): boolean {
  const data = JSON.parse(new TextDecoder().decode(clientDataJSON)) as { crossOrigin?: unknown; topOrigin?: unknown }
  return (data.crossOrigin ?? false) !== false || (data.topOrigin ?? null) !== null
}

const MAX_TRANSPORTS = 8

/** Hints for later prompts: what looks like a transport, known or new. Anything else is left out. */
export function knownTransports(sent: unknown): string[] {
  if (!Array.isArray(sent)) return []
  const names = sent.filter((name): name is string => typeof name === 'string' && /^[a-z0-9-]{1,32}$/.test(name))
  return [...new Set(names)].slice(0, MAX_TRANSPORTS)
}

/** Why an answer is not accepted, for the log. */
export type PasskeyFault =
  | 'type'
  | 'challenge'
  | 'origin'
  | 'framed'
  | 'rp_id'
  | 'presence'
  | 'verification'
  | 'algorithm'
  | 'backup_flags'
  | 'signature'
  | 'unreadable'

/** By how the messages of the library begin: their ends contain input. */
const MESSAGES: readonly (readonly [begins: RegExp, code: PasskeyFault])[] = [
  [/^Unexpected (?:registration|authentication) response type/, 'type'],
  [/^Unexpected (?:registration|authentication) response challenge/, 'challenge'],
  [/^Unexpected (?:registration|authentication) response origin/, 'origin'],
  [/^(?:Detected cross-origin|Unexpected top origin)/, 'framed'],
  [/^Unexpected RP ID hash/, 'rp_id'],
  [/^User (?:presence was required|not present)/, 'presence'],
  [/^User verification (?:was )?required/, 'verification'],
  [/^(?:Unexpected|Credential) public key/, 'algorithm'],
  [/^Single-device credential/, 'backup_flags'],
]

export function faultCodeOf(error: unknown): PasskeyFault {
  const message = error instanceof Error ? error.message : ''
  return MESSAGES.find(([begins]) => begins.test(message))?.[1] ?? 'unreadable'
}

/** Shown in the list if the person gave no name. */
export const DEFAULT_LABEL = 'Passkey'
