/**
 * The rules of ceremonies: every short-lived sign-in state has one kind, expires, and is single-use. Pure; time is passed
 * in.
 *
 * @module
 */
import {
  GRANT_LIFETIME_MS,
  LOGIN_LIFETIME_MS,
  type Provider,
  REDIRECT_LIFETIME_MS,
  TICKET_LIFETIME_MS,
} from '@svc/protocol/auth/sign-in'

/** What each kind stores between its two requests. */
export interface CeremonyStates {
  /** OPAQUE: `accountId` is null for an unknown identifier, which looks the same from outside. */
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
    /** The account that a credential is for: an existing one, or one that is created with it. */
    readonly accountId: string
    /** For an existing account: the session that asked, with which the grant ends. Null for a new account. */
    readonly sessionHash: string | null
    /** The person at a provider, if the grant came from a ticket. */
    readonly subjectHash: string | null
    /** For a passkey that is being created, since the last `options`. */
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

/** A ceremony that has expired, or is of another kind, does not count. */
export function living(row: CeremonyRow | null, kind: CeremonyKind, now: number): CeremonyRow | null {
  return row && row.kind === kind && now < row.expiresAt ? row : null
}
