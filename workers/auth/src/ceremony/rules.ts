/**
 * The rules of ceremonies: every short-lived sign-in state has one kind, expires, and is single-use. Pure; time is passed
 * in.
 *
 * @module
 */
import {
  CONFIRMATION_LIFETIME_MS,
  GRANT_LIFETIME_MS,
  LOGIN_LIFETIME_MS,
  type Provider,
  REDIRECT_LIFETIME_MS,
  TICKET_LIFETIME_MS,
} from '@svc/protocol/auth/sign-in'
import type { Names } from '../keyring.ts'

/** What each kind stores between its two requests. */
export interface CeremonyStates {
  /** OPAQUE: `accountId` is null for an unknown identifier, which looks the same from outside. */
  readonly login: {
    readonly accountId: string | null
    readonly name: string
    /** The version of the seed that `name` was made with. */
    readonly seed: number
    readonly clientMacB64u: string
    /** What the device showed, if it is known: it stays known by it. */
    readonly shown: string | null
  }
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
    readonly subject: Names
    readonly emailVerified: boolean
    readonly challenge: string
  }
  readonly grant: Beneficiary & {
    /**
     * The version of the seed under which every first message of a registration is answered, so that the last one can be
     * stored with it. It is the newest when the grant is made.
     */
    readonly seed: number
    /** For a passkey that is being created, since the last `options`. */
    readonly passkey: { readonly challenge: string; readonly label: string } | null
  }
  /** A registration under an address, until its owner sends the code. The address itself is not in it. */
  readonly confirmation: Beneficiary & {
    readonly seed: number
    readonly identifier: Names
    readonly recordB64u: string
    readonly codeHash: string
  }
}
export interface Beneficiary {
  /** The account that a credential is for: an existing one, or one that is created with it. */
  readonly accountId: string
  /** The person at a provider, for a new account whose grant came from a ticket. */
  readonly subject: Names | null
  /** What the grant of an existing account ends with. Null for a new account. */
  readonly standing: Standing | null
}

/**
 * Why a grant may change an existing account: a session of it, or its person at a provider. It ends with the session, or
 * with the next recovery.
 */
export type Standing =
  | { readonly by: 'session'; readonly sessionHash: string }
  | { readonly by: 'recovery'; readonly recoveries: number }

export type CeremonyKind = keyof CeremonyStates

const LIFETIMES_MS: Readonly<Record<CeremonyKind, number>> = {
  login: LOGIN_LIFETIME_MS,
  'passkey-login': LOGIN_LIFETIME_MS,
  redirect: REDIRECT_LIFETIME_MS,
  ticket: TICKET_LIFETIME_MS,
  grant: GRANT_LIFETIME_MS,
  confirmation: CONFIRMATION_LIFETIME_MS,
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
