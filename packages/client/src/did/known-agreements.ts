import type { SignedKeyAgreement } from '#protocol/base/key-agreement'
import { statementHash } from '#protocol/base/statement'
import { type LogName, type Piece, RollbackError } from '../memory/errors.ts'
import { refuseOlder } from '../memory/extension.ts'
import type { KnownLogs } from '../memory/known-logs.ts'

/**
 * The key agreements of an identity that a client has seen. A root key replaces one only by a newer one (`issuedAt`), and
 * cannot withdraw it. So a service that shows an older one, or none, hides a newer key or sheet.
 */
export class KnownAgreements {
  readonly #memory: KnownLogs
  readonly #did: string
  readonly #logs: readonly AgreementLog[]

  private constructor(memory: KnownLogs, did: string, logs: readonly AgreementLog[]) {
    this.#memory = memory
    this.#did = did
    this.#logs = logs
  }

  /** Call this before you send a request: its answer cannot reflect what this client learns in the meantime. */
  static async of(memory: KnownLogs, did: string): Promise<KnownAgreements> {
    const logs = await memory.recallAll('agreement', `${did}/`)
    return new KnownAgreements(memory, did, logs as readonly AgreementLog[])
  }

  /**
   * Remembers a key agreement, whose signature by the root key of this epoch the caller has verified. Throws a
   * `RollbackError` if it is older than a remembered one, and a `ForkError` if it is another one of the same time.
   */
  async accept(epoch: number, signed: SignedKeyAgreement): Promise<void> {
    const name: LogName = { kind: 'agreement', of: `${this.#did}/${epoch}` }
    const known = this.#logs.find((log) => log.name.of === name.of)?.pieces ?? []
    const place = { position: signed.statement.issuedAt, hash: statementHash(signed.statement) }
    await refuseOlder({ name, show: async () => signed }, known, place)
    await this.#memory.advance(name, { ...place, signed }, known)
  }

  /** Throws a `RollbackError` if the root key of this epoch, by default of any, has stated a key. */
  refuseNone(epoch?: number): void {
    for (const { name, pieces } of this.#logs) {
      const remembered = pieces.at(-1)
      const isAsked = epoch === undefined || name.of === `${this.#did}/${epoch}`
      if (!isAsked || !remembered) continue
      throw new RollbackError({ log: name, remembered, received: { position: 0, hash: '', signed: null } })
    }
  }
}

interface AgreementLog {
  readonly name: LogName
  /** By `issuedAt`. */
  readonly pieces: readonly Piece<SignedKeyAgreement>[]
}
