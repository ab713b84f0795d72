import type { StatementType } from '../../base/statement.ts'

/**
 * Why presenting a statement again has no effect. `members` are the signed members that the verifier compares for it.
 *
 * - `nonce`: accepted once; again only to finish what it began.
 * - `position`: names the place in a log that it takes; the place is taken once.
 * - `newest`: only a later one replaces it, so an old one changes nothing.
 * - `once`: names what it decides, and that is decided once; repeating it returns the same result.
 * - `check`: changes nothing, so it is checked again.
 * - `clock`: accepted for a few minutes after `issuedAt`, and idempotent within them.
 * - `container`: valid only inside another statement, named by the members, which has its own rule.
 * - `receipt`: made by a service and presented to nobody; it proves what it names, however often it is read.
 */
export type ReplayRule = {
  readonly kind: 'nonce' | 'position' | 'newest' | 'once' | 'check' | 'clock' | 'container' | 'receipt'
  readonly members: readonly string[]
}

export interface StatementRule {
  readonly signer: string
  /** The members that name what it is about; it means nothing for anything else. */
  readonly subject: readonly string[]
  readonly verifier: string
  readonly replay: ReplayRule
  readonly expires: string
}

/** The rules of some kinds of statements. */
export type StatementRules = Readonly<Partial<Record<StatementType, StatementRule>>>

export const ROOT = 'the current root key of the identity'
export const EPOCH_ENDS = 'with the root key: `rootEpoch` must be the current one'
export const NEXT_EPOCH = 'with the root key: `epoch` must be the current one plus 1'
export const LINK = ['sequence', 'previousHash']
export const NEVER = 'never'
export const FIVE_MINUTES = 'five minutes after `issuedAt`'
