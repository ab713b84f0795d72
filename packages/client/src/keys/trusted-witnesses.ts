import type { SignedCosignature } from '#protocol/keys/cosignature'
import type { AccountAnswer } from '#protocol/keys/transparency'
import { clockFor } from '../mirrors/from-mirror.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import type { Patience } from './account-agreement.ts'
import type { Cosigned, DirectoryLog } from './directory-log.ts'
import { checkedPolicy, type WitnessPolicy, withoutWitnesses } from './witness-policy.ts'

/** A witness cosigns every few seconds, so one that is behind for longer does not see this log. */
const MAX_COSIGNED_AGE_MS = 3_600_000
/** A client accepts a single history of each log, so it need not fetch cosignatures for every answer. */
const ASK_AGAIN_MS = 60_000

const NOBODY: WitnessPolicy = { threshold: 0, publicKeysB64u: [] }

/** The witnesses that this client trusts, and how many of them it wants. */
export class TrustedWitnesses {
  readonly #threshold: number
  readonly #keys: ReadonlySet<string>
  readonly #log: DirectoryLog
  readonly #transport: Transport
  readonly #askAgainAt = new Map<string, number>()

  constructor(policy: WitnessPolicy | undefined, log: DirectoryLog, transport: Transport) {
    const { threshold, publicKeysB64u } = policy === undefined ? NOBODY : checkedPolicy(policy)
    this.#threshold = threshold
    this.#keys = new Set(publicKeysB64u)
    this.#log = log
    this.#transport = transport
  }

  get areDemanded(): boolean {
    return this.#threshold > 0
  }

  /**
   * Waits until as many of them as the policy wants have recomputed the map that an answer was proved from, and every map
   * before it. Returns one cosignature of each. Throws a `ConfigurationError` without a policy, which nothing would satisfy.
   */
  async witnessed({ map: { position } }: AccountAnswer, { attempts, pauseMs }: Patience): Promise<SignedCosignature[]> {
    if (!this.areDemanded) throw withoutWitnesses()
    for (let attempt = 1; ; attempt++) {
      const { checkpoint, cosignatures } = await this.#log.cosigned(position.log)
      const agreeing = new Map<string, SignedCosignature>()
      for (const cosignature of cosignatures) {
        const { statement, publicKeyB64u } = cosignature
        const isOfMap = statement.verifies === 'log+map' && statement.log === position.log
        if (!isOfMap || !this.#keys.has(publicKeyB64u) || statement.size <= position.index) continue
        if (await this.#log.isPrefix(statement, checkpoint)) agreeing.set(publicKeyB64u, cosignature)
      }
      if (agreeing.size >= this.#threshold) return [...agreeing.values()]
      if (attempt >= attempts)
        throw unverified('account', 'not_cosigned', 'Too few witnesses that this client trusts have verified the map', {
          evidence: { checkpoint, cosignatures },
        })
      await this.#transport.pause(pauseMs)
    }
  }

  /**
   * Waits until `threshold` witnesses have cosigned a log. Checks each log once a minute. A new log has no cosignatures for
   * its first seconds.
   */
  async agreeOnLog(log: string, { attempts, pauseMs }: Patience): Promise<void> {
    if (!this.areDemanded || this.#transport.now() < (this.#askAgainAt.get(log) ?? 0)) return
    for (let attempt = 1; ; attempt++) {
      const isAgreed = await this.agreeOn(await this.#log.cosigned(log)).then(
        () => true,
        (error: unknown) => {
          if (attempt >= attempts) throw error
          return false
        },
      )
      if (isAgreed) break
      await this.#transport.pause(pauseMs)
    }
    this.#askAgainAt.set(log, this.#transport.now() + ASK_AGAIN_MS)
  }

  /**
   * Throws unless as many of them as the policy wants have cosigned the checkpoint, or in the last hour a state that it
   * extends: a log that shows somebody a history of their own gets no cosignature for it. Without a policy, nobody has to.
   */
  async agreeOn({ checkpoint, cosignatures }: Cosigned): Promise<void> {
    const { log, size } = checkpoint.statement
    if (!this.areDemanded || size === 0) return
    const since = clockFor(checkpoint, this.#transport.now()) - MAX_COSIGNED_AGE_MS
    const agreeing = new Set<string>()
    for (const { statement, publicKeyB64u } of cosignatures) {
      const isOfNow = statement.log === log && (statement.size === size || statement.issuedAt >= since)
      if (!isOfNow || !this.#keys.has(publicKeyB64u)) continue
      if (await this.#log.isPrefix(statement, checkpoint)) agreeing.add(publicKeyB64u)
    }
    if (agreeing.size < this.#threshold)
      throw unverified(
        'transparency',
        'not_cosigned',
        'Too few witnesses that this client trusts have cosigned the log',
        {
          where: { log },
          evidence: { checkpoint, cosignatures },
        },
      )
  }
}
