import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { anchorEntryOf } from '@svc/protocol/ledger/anchor-log'
import {
  type AnchorEntry,
  type AnchorLeaf,
  anchorLine,
  type SignedCheckpoint,
  type StateProof,
} from '@svc/protocol/ledger/anchors'
import type { WithheldNotice } from '@svc/protocol/ledger/withheld-notice'
import { entryHash } from '@svc/protocol/merkle/entries'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import type { KeptLogs } from '@svc/service'
import type { AnchorIndex } from './index-store.ts'
import type { IndexedAnchor } from './rows.ts'

/** Proofs of the newest anchors: the index tells which they are, and the logs have their leaves. */
export class StateProofs {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #index: AnchorIndex

  constructor(logs: KeptLogs<SignedCheckpoint>, index: AnchorIndex) {
    this.#logs = logs
    this.#index = index
  }

  async of(window: number, now: number): Promise<StateProof> {
    const places = await this.#index.window(window)
    const entries = await this.#entriesOf(places)
    const leaves = entries.map((entry) => entryHash(anchorLine(entry)))
    const anchors: AnchorLeaf[] = []
    const withheld: WithheldNotice[] = []
    for (const [i, { attestationsHash }] of entries.entries()) {
      const place = places[i]
      if (place && 'notice' in place) withheld.push({ leaf: toHex(leaves[i] ?? new Uint8Array()), ...place.notice })
      else if (place) anchors.push(leafOf(place, attestationsHash))
    }
    return {
      window,
      count: leaves.length,
      root: toHex(merkleRoot(leaves)),
      leaves: leaves.map(toHex),
      createdAt: new Date(now).toISOString(),
      hashAlg: 'sha3-384',
      anchors,
      withheld,
    }
  }

  /** What the logs have at these places: a bundle of entries has 256 leaves. */
  async #entriesOf(places: readonly { readonly position: LogPosition }[]): Promise<AnchorEntry[]> {
    const bundles = new Map<string, Promise<readonly string[]>>()
    const read = async (log: string, bundle: number) => {
      const found = await this.#logs.entries(log, bundle)
      return found.ok ? found.value.entries : []
    }
    return Promise.all(
      places.map(async ({ position: { log, index } }) => {
        const bundle = Math.floor(index / TILE_WIDTH)
        const lines = bundles.get(`${bundle} ${log}`) ?? read(log, bundle)
        bundles.set(`${bundle} ${log}`, lines)
        const entry = anchorEntryOf((await lines)[index % TILE_WIDTH] ?? '')
        if (entry === null) throw new DependencyFault('anchors')
        return entry
      }),
    )
  }
}

function leafOf(anchor: IndexedAnchor, attestationsHash: string): AnchorLeaf {
  const { anchorId, root, epoch, hashAlg, createdAt, owner, salt } = anchor
  return { anchorId, root, epoch, hashAlg, createdAt, owner, salt, attestationsHash }
}
