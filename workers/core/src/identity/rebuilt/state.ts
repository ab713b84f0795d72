import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import type { ChainBlock, GenesisBlock } from '@svc/protocol/chain/chain'
import { NO_COMMITMENT_HASH } from '@svc/protocol/chain/commitment'
import type { SignedDeactivation } from '@svc/protocol/chain/deactivation'
import type { RootKeyEvidence, RotationRecord } from '@svc/protocol/chain/rotation'
import type { Device, InceptionEvent } from '@svc/protocol/devices/inception'
import type { Roster } from '@svc/protocol/devices/officers'
import { blockOf } from '../../chain/record.ts'
import { RotationReading } from '../../rotation/reading.ts'
import type { IdentityRecord } from '../rules.ts'
import type { IdentityTransaction } from '../transaction.ts'

/** Blocks of one reading: some 4 kB each. */
export const BLOCKS_AT_ONCE = 2_000

/** An event of the inception log as a row says it. */
export interface EventRow {
  readonly event: InceptionEvent
  readonly hash: string
  readonly acceptedAt: number
}

export interface DeviceRow {
  readonly device: Device
  readonly changedBy: number
  readonly attestedBy: number
  /** Since when it has been active, in spans that count. */
  readonly spans: readonly { readonly since: number; readonly isOpen: boolean }[]
}

/** The signed state of an identity, without its blocks. */
export interface RebuiltState {
  readonly identity: IdentityRecord
  readonly keys: readonly RootKeyEvidence[]
  readonly keyAgreement: SignedKeyAgreement | null
  readonly deactivation: SignedDeactivation | null
  readonly rotations: readonly RotationRecord[]
  readonly events: readonly EventRow[]
  readonly devices: readonly DeviceRow[]
  readonly rosters: readonly (Roster & { readonly sequence: number })[]
}

/** A block, and the hash that its row says. */
export interface BlockRow {
  readonly block: ChainBlock
  readonly hash: string
}

/** Reads the state that an identity is rebuilt to. */
export class RebuiltReading {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  state(): RebuiltState | null {
    const { identities, rotations, inception, devices } = this.#transaction
    const identity = this.#transaction.read()
    if (!identity) return null
    return {
      identity,
      keys: this.#keys(identity),
      keyAgreement: identities.keyAgreement(identity.current.epoch)?.signed ?? null,
      deactivation: identities.deactivation(),
      rotations: rotations.all().map((rotation) => rotations.record(rotation)),
      events: inception.rows(),
      devices: devices.rows(),
      rosters: inception.rosters(),
    }
  }

  /** Blocks from an index on. */
  blocks(from: number): BlockRow[] {
    const { identities, chain } = this.#transaction
    const identity = this.#transaction.read()
    if (!identity) return []
    const records = chain.range({ from, to: from + BLOCKS_AT_ONCE - 1, limit: BLOCKS_AT_ONCE, contentType: null })
    const keys = new Map<number, string>()
    return records.map((record) => {
      const { keyEpoch } = record
      const known =
        keys.get(keyEpoch) ?? encodeBase64url(identities.keys(keyEpoch, 0)[0]?.publicKey ?? new Uint8Array())
      keys.set(keyEpoch, known)
      return { block: blockOf(record, identity.scope, known), hash: record.hash }
    })
  }

  #keys(identity: IdentityRecord): RootKeyEvidence[] {
    const history = new RotationReading(this.#transaction)
    const keys: RootKeyEvidence[] = []
    for (let from: number | null = 0; from !== null; ) {
      const page = history.keyHistory(from)
      keys.push(...(page?.keys ?? []))
      from = page?.next ?? null
    }
    return keys.map((key) => (key.epoch === 0 ? { ...key, genesis: this.#genesis(identity, key.publicKeyB64u) } : key))
  }

  /** Null if the block commits to successors that were never revealed: who may follow is then unknown. */
  #genesis({ scope }: IdentityRecord, publicKeyB64u: string): RootKeyEvidence['genesis'] {
    const { chain, identities } = this.#transaction
    const first = chain.at(0)
    const commitment = identities.genesisCommitment()
    if (!first || (commitment === null && first.metadataHash !== NO_COMMITMENT_HASH)) return null
    return { block: blockOf(first, scope, publicKeyB64u) as GenesisBlock, commitment }
  }
}
