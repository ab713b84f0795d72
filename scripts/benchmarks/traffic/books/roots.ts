import { safeVerifyAnchor } from '@svc/client/verify'
import { hashTextHex } from '@svc/protocol/base/hash'
import { anchorIdOf, anchorRecordSchema } from '@svc/protocol/ledger/anchors'
import type { LogTrust } from '@svc/protocol/ledger/bundle/verify-bundle'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, orNull, saying } from './book.ts'

interface RootClaim {
  readonly anchorId: string
  readonly root: string
}

const EPOCH = 'traffic'

/** Roots of one owner in the log of anchors. */
export class RootBook extends Book<RootClaim> {
  readonly #sealer: Sealer
  readonly #did: string

  constructor(sealer: Sealer, did: string) {
    super()
    this.#sealer = sealer
    this.#did = did
  }

  async next(): Promise<Planned> {
    const root = hashTextHex(crypto.randomUUID())
    const request = await this.#sealer.seal('POST', ({ anchors }) => anchors.submit({ root, epoch: EPOCH }))
    return this.planned(request, 200, { root, anchorId: anchorIdOf(this.#did, root, EPOCH) })
  }

  /** Each anchor is recorded as acknowledged, and its bundle proves it in the log, unanswered ones included. */
  async faults(): Promise<string[]> {
    const logs = await this.#sealer.client.transparency.logs()
    await logs.refresh()
    const list = await logs.list()
    const found: string[] = []
    for (const { claim, answer } of this.heard) {
      const { createdAt } = anchorRecordSchema.parse(answer)
      found.push(...(await this.#faultsOf(claim, { list }, createdAt)))
    }
    for (const claim of this.unheard) {
      const record = await orNull(this.#sealer.client.anchors.read(claim.anchorId))
      if (!record) continue
      this.wasTaken(claim)
      found.push(...(await this.#faultsOf(claim, { list }, record.createdAt)))
    }
    return found
  }

  async #faultsOf({ anchorId, root }: RootClaim, trust: LogTrust, createdAt: string): Promise<string[]> {
    try {
      const bundle = await this.#sealer.client.anchors.bundle(anchorId)
      const verified = await safeVerifyAnchor(bundle, trust, this.#sealer.client.realms)
      if (!verified.ok) return [`anchor ${anchorId}: ${verified.error.reason}`]
      const isSame = bundle.record.root === root && bundle.record.createdAt === createdAt
      return isSame ? [] : [`anchor ${anchorId}: has changed`]
    } catch (error) {
      return [saying(`anchor ${anchorId}`, error)]
    }
  }
}
