import type { SubmittedLeaf } from '@svc/log'
import { toHex } from '@svc/protocol/base/hash'
import { anchorEntry, anchorLeafOf } from '@svc/protocol/ledger/anchor-log'
import { anchorIdOf } from '@svc/protocol/ledger/anchors'
import { edgeFrontier, frontierRoot, TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { AnchorLogObject as Log } from '../../../../workers/core/src/anchors/log-object.ts'
import { identicalEdge, LINE } from './identical-leaves.ts'
import type { LogCounts } from './log-counts.ts'

const OWNER = `did:svc:${'b'.repeat(32)}`
const TIME = '2027-01-01T00:00:00.000Z'

/** The object of a log of anchors that can be made as large as one likes. */
export class AnchorLogObject extends Log {
  async counts(log: string, size: number, leaves: number): Promise<LogCounts> {
    await this.head(log)
    this.#grow(size)
    const submitted = Array.from({ length: leaves }, (_, i) => leafOf(i))
    let rowsWritten = 0
    const { sql } = this.stored
    const exec = sql.exec.bind(sql)
    sql.exec = ((...query: Parameters<typeof exec>) => {
      const cursor = exec(...query)
      const rows = cursor.toArray()
      rowsWritten += cursor.rowsWritten
      return { toArray: () => rows, [Symbol.iterator]: () => rows[Symbol.iterator]() }
    }) as typeof exec
    const placed = await this.submit(log, Date.now(), submitted)
    if (!placed.ok) throw new Error(placed.error.reason)
    await this.acknowledge(
      log,
      Array.from({ length: leaves }, (_, i) => size + i),
    )
    sql.exec = exec
    return { bytes: this.ctx.storage.sql.databaseSize, rowsWritten }
  }

  /** As if it had taken that many identical leaves. */
  #grow(size: number): void {
    const edge = identicalEdge(size)
    const root = toHex(frontierRoot({ size, frontier: edgeFrontier(edge) }))
    const bytes = new Uint8Array(edge.edge.reduce((sum, level) => sum + level.length, 0))
    let at = 0
    for (const level of edge.edge) {
      bytes.set(level, at)
      at += level.length
    }
    const tail = Array.from({ length: size % TILE_WIDTH }, () => LINE).join('\n')
    this.stored.sql.exec('UPDATE head SET size = ?, root = ?, edge = ?, tail = ?', size, root, bytes, tail)
  }
}

function leafOf(i: number): SubmittedLeaf {
  const [root, epoch] = ['ab'.repeat(48), String(i)]
  const anchorId = anchorIdOf(OWNER, root, epoch)
  const anchor = { anchorId, root, epoch, hashAlg: 'sha3-384', createdAt: TIME, owner: OWNER } as const
  const logged = { ...anchor, attestations: [], salt: 'A'.repeat(22) }
  return { leafId: anchorLeafOf(logged), entry: anchorEntry(logged) }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const log = 'https://core.bench/anchors/2027a'
    const object = env.ANCHOR_LOG.getByName(log) as unknown as DurableObjectStub<AnchorLogObject>
    return Response.json(await object.counts(log, Number(searchParams.get('size')), Number(searchParams.get('leaves'))))
  },
}
