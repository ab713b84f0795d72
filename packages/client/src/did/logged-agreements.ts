import type { SignedKeyAgreement } from '#protocol/base/key-agreement'
import { statementHash } from '#protocol/base/statement'
import type { LoggedAgreement } from '#protocol/keys/account-updates'
import type { AccountAnswer } from '#protocol/keys/transparency'
import { LOGGED_WITHIN_MS } from '../chain/activations.ts'
import type { Activated } from '../chain/root-keys.ts'
import type { Transparency } from '../keys/transparency.ts'
import { type LogName, type Piece, RollbackError } from '../memory/errors.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { mirrorOf } from '../mirrors/from-mirror.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'

/** The key agreement of an identity, as a service shows it. */
export interface ShownAgreement {
  /** Null if it says that the current root key has none. */
  readonly signed: SignedKeyAgreement | null
  /** When that root key became the current one, epoch ms; 0 for the first. */
  readonly since: number
}

/** What the log proves. */
export interface LogKnowledge {
  /** The newest key agreement that the log has proved. */
  readonly proved: LoggedAgreement | null
  /** Whether the directory itself answered, so that nothing older than a minute is missing. */
  readonly isCurrent: boolean
  readonly now: number
}

/** Compares a shown key agreement with the newest one in the log. A newer one may take up to a day to be logged. */
export function agreementVerdict(
  { signed, since }: ShownAgreement,
  { proved, isCurrent, now }: LogKnowledge,
): Activated | 'rollback' | 'left_out' {
  if (!signed) {
    // A key agreement ends with the root key that signed it.
    if (proved && proved.issuedAt >= since) return 'left_out'
    return isCurrent ? 'proved' : 'claimed'
  }
  const { issuedAt } = signed.statement
  if (proved && issuedAt < proved.issuedAt) return 'rollback'
  if (issuedAt === proved?.issuedAt) return statementHash(signed.statement) === proved.hash ? 'proved' : 'left_out'
  return isCurrent && now - issuedAt >= LOGGED_WITHIN_MS ? 'left_out' : 'claimed'
}

/**
 * Checks the key agreements that core and the resolver show against the log of the key directory, which has every key
 * agreement that core accepts. A service that shows an older one, or leaves out the newest, is detected.
 */
export class LoggedAgreements {
  readonly #transparency: () => Promise<Pick<Transparency, 'account'>>
  readonly #memory: KnownLogs
  readonly #now: () => number

  constructor(transparency: () => Promise<Pick<Transparency, 'account'>>, memory: KnownLogs, now: () => number) {
    this.#transparency = transparency
    this.#memory = memory
    this.#now = now
  }

  /**
   * Returns `proved` if the log has the shown key agreement as the newest, and `claimed` if it is too new for the log or
   * the directory is unavailable. Throws a `RollbackError` if the log has a newer one, and a `VerificationError` if the log
   * does not have it. Remembers what the log has proved, so that later answers cannot go back.
   */
  async check(did: string, shown: ShownAgreement): Promise<Activated> {
    const name: LogName = { kind: 'account', of: did }
    const known = await this.#memory.recall<Piece<AccountAnswer>>(name)
    const account = await answered(async () => (await this.#transparency()).account(did))
    const newest = await this.#newest(name, known, account)
    const verdict = agreementVerdict(shown, {
      proved: newest && { hash: newest.hash, issuedAt: newest.position },
      isCurrent: account !== null && mirrorOf(account) === null,
      now: this.#now(),
    })
    if (verdict === 'proved' || verdict === 'claimed') return verdict
    const { signed } = shown
    const position = signed?.statement.issuedAt ?? 0
    if (verdict === 'rollback' && newest) {
      const received = { position, hash: signed ? statementHash(signed.statement) : '', signed }
      throw new RollbackError({ log: { kind: 'agreement', of: did }, remembered: newest, received })
    }
    throw unverified('agreement', verdict, 'The log does not have this as the newest key agreement of the identity', {
      where: { position },
      evidence: { shown: signed, account: newest?.signed ?? account },
    })
  }

  async #newest(
    name: LogName,
    known: readonly Piece<AccountAnswer>[],
    account: AccountAnswer | null,
  ): Promise<Piece<AccountAnswer> | null> {
    const last = known.at(-1) ?? null
    // An answer may be a minute old.
    if (!account?.agreement || account.agreement.issuedAt <= (last?.position ?? -1)) return last
    const { issuedAt: position, hash } = account.agreement
    const piece = { position, hash, signed: account }
    await this.#memory.advance(name, piece, known)
    return piece
  }
}

/** Null if the directory is unavailable, or its map too old by the clock of this client. Throws if its answer is false. */
async function answered(ask: () => Promise<AccountAnswer>): Promise<AccountAnswer | null> {
  return ask().catch((error: unknown) => {
    if (error instanceof VerificationError && error.reason !== 'expired') throw error
    return null
  })
}
