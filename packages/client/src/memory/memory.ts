import type { Realms } from '@svc/protocol/base/realm'
import { answerSchema } from '@svc/protocol/http/answer-schema'
import { KnownLogs } from './known-logs.ts'
import { type MemoryValue, memoryValueSchema } from './memory-value.ts'

/**
 * What a client has seen and signed. It lasts as long as the client, unless you export it and pass it to the next one. A
 * service that contradicts it is refused with a `HistoryError`.
 */
export class Memory extends KnownLogs {
  readonly #realms: Realms

  /** `realms` are those of the deployment: what another one showed contradicts nothing here. */
  constructor(realms: Realms, value?: MemoryValue) {
    super()
    this.#realms = realms
    if (value !== undefined) this.merge(value)
  }

  /** Everything as one JSON value. It has signatures and public data, and the payload of a block without an answer. */
  export(): MemoryValue {
    const logs = this.all().map(({ name, pieces, pending }) => ({ ...name, pieces, pending }))
    return answerSchema(memoryValueSchema).parse({ format: 'svc/client-memory/v1', realm: this.#realms[0], logs })
  }

  /**
   * Adds what another client remembers. Throws a `ForkError` if both saw different things in one place, after adding the
   * rest. Where one saw more, the service must prove to the next call that it extends what the other saw. Throws a
   * TypeError for the memory of another deployment.
   */
  merge(value: MemoryValue): void {
    const { realm, logs } = answerSchema(memoryValueSchema).parse(value)
    if (!this.#realms.includes(realm)) throw new TypeError(`The memory is of another deployment: ${realm}`)
    const faults: unknown[] = []
    for (const { kind, of, pieces, pending } of logs) {
      try {
        this.learn({ name: { kind, of }, pieces, pending })
      } catch (fault) {
        faults.push(fault)
      }
    }
    if (faults.length > 0) throw faults[0]
  }
}
