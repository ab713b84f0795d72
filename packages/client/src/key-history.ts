import type { EpochKey } from '@svc/protocol/chain'
import {
  keyHistorySchema,
  type RootKeyEvidence,
  type RotationRecord,
  verifyKeyHistory,
  verifyRotationRecord,
} from '@svc/protocol/rotation'
import type { Transport } from './transport.ts'

/** The root keys of identities, from the evidence that core publishes and that proves itself. */
export class KeyHistory {
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, base: string) {
    this.#transport = transport
    this.#base = base
  }

  /**
   * The root keys of a DID by epoch, the current one last. Throws when the evidence does not lead from the key that the
   * DID names to each later one. Needs no credential.
   */
  async of(did: string): Promise<readonly [EpochKey, ...EpochKey[]]> {
    const evidence: RootKeyEvidence[] = []
    for (let from: number | null = 0; from !== null; ) {
      const page: { keys: RootKeyEvidence[]; next: number | null } = await this.#page(did, from)
      evidence.push(...page.keys)
      const isContinued = page.keys.length > 0 && page.next === from + page.keys.length
      if (page.next !== null && !isContinued) throw new Error('core left out root keys')
      from = page.next
    }
    const keys = await verifyKeyHistory(evidence, did)
    if (!keys.ok) throw new Error(`the root keys are not of this DID: ${keys.error.reason} at ${keys.error.epoch}`)
    return keys.value
  }

  /** The newest rotation of a DID with every signature for and against it, or null. Needs no credential. */
  async rotation(did: string): Promise<RotationRecord | null> {
    const { rotation } = await this.#page(did, 0)
    return rotation && this.check(did, rotation)
  }

  /** A rotation record as it may be believed: throws when its signatures do not make it one of this DID. */
  async check(did: string, record: RotationRecord): Promise<RotationRecord> {
    const ending = (await this.of(did))[record.epoch - 1]
    if (!ending || !(await verifyRotationRecord(record, did, ending))) {
      throw new Error('the rotation is not of this DID')
    }
    return record
  }

  #page(did: string, from: number) {
    const url = `${this.#base}/api/chain/root/${did}/history?from=${from}`
    return this.#transport.data({ method: 'GET', url }, keyHistorySchema)
  }
}
