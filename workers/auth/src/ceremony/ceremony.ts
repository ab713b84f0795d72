/**
 * The law of ceremonies: every short-lived state of signing in is of one kind, is over at a time, and is spent once.
 * Pure; time is passed in.
 *
 * @module
 */
import {
  GRANT_LIFETIME_MS,
  LOGIN_LIFETIME_MS,
  type Provider,
  REDIRECT_LIFETIME_MS,
  TICKET_LIFETIME_MS,
} from '@svc/protocol/sign-in'

/** What each kind keeps between its two requests. */
export interface CeremonyStates {
  /** OPAQUE: `accountId` is null for an identifier that nobody has, which looks alike from outside. */
  readonly login: { readonly accountId: string | null; readonly name: string; readonly clientMacB64u: string }
  readonly 'passkey-login': { readonly challenge: string }
  readonly redirect: {
    readonly provider: Provider
    readonly nonce: string
    readonly codeVerifier: string
    readonly browserHash: string
    readonly returnTo: string
    readonly challenge: string
  }
  readonly ticket: {
    readonly provider: Provider
    readonly subjectHash: string
    readonly emailVerified: boolean
    readonly challenge: string
  }
  readonly grant: {
    /** The account that a credential is for: one that exists, or one that comes to be with it. */
    readonly accountId: string
    /** Of an account that exists: the session that asked, with which the grant is over. Null where one comes to be. */
    readonly sessionHash: string | null
    /** Who the person is at a provider, where the grant came from a ticket. */
    readonly subjectHash: string | null
    /** Of the passkey that is being made, since the last `options`. */
    readonly passkey: { readonly challenge: string; readonly label: string } | null
  }
}
export type CeremonyKind = keyof CeremonyStates

const LIFETIMES_MS: Readonly<Record<CeremonyKind, number>> = {
  login: LOGIN_LIFETIME_MS,
  'passkey-login': LOGIN_LIFETIME_MS,
  redirect: REDIRECT_LIFETIME_MS,
  ticket: TICKET_LIFETIME_MS,
  grant: GRANT_LIFETIME_MS,
}

export interface CeremonyRow {
  readonly kind: string
  readonly state: string
  readonly expiresAt: number
}

export function expiryOf(kind: CeremonyKind, now: number): number {
  return now + LIFETIMES_MS[kind]
}

/** A ceremony that is over, or of another kind, is none. */
export function living(row: CeremonyRow | null, kind: CeremonyKind, now: number): CeremonyRow | null {
  return row && row.kind === kind && now < row.expiresAt ? row : null
}
