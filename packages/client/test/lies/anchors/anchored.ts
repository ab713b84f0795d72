import { hashTextHex, toHex } from '@svc/protocol/base/hash'
import { anchorAttestationsHash, anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { type AnchorList, type AnchorRecord, anchorIdOf, anchorLeafHash } from '@svc/protocol/ledger/anchors'
import type { AnchorBundle } from '@svc/protocol/ledger/bundle/anchor-bundle'
import type { Seen } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { keysOf as listKeysOf, listSigners, rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import type { ClientOptions } from '../../../src/client-options.ts'
import { attestationBy } from '../../../src/ledger/attestation.ts'
import { REALM } from '../../realm.ts'
import { alice } from '../../sides.ts'
import { LOGS } from '../checkpoints.ts'
import { data, keysOf, type Lie, NOW } from '../situation.ts'

export async function anchored(epoch: string, by = alice, realm = REALM): Promise<AnchorRecord> {
  const [root, owner] = [hashTextHex(epoch), alice.did]
  const attestation = await attestationBy(by, (at) => submissionBytes({ owner, root, epoch }, realm, at), NOW)
  const placed = { anchorId: anchorIdOf(owner, root, epoch), root, epoch, hashAlg: 'sha3-384' as const, owner }
  const createdAt = new Date(NOW).toISOString()
  const salt = 'A'.repeat(22)
  return { ...placed, createdAt, attestations: [attestation], salt, status: 'submitted', position: null }
}

const leafOf = (record: AnchorRecord) => {
  const { anchorId, root, epoch, hashAlg, createdAt, owner, salt } = record
  const attestationsHash = anchorAttestationsHash(record)
  return { anchorId, root, epoch, hashAlg, createdAt, owner, salt, attestationsHash }
}

/** An anchor in an open log of three entries, which continues a closed one. */
export async function anchors() {
  const [earlier, newest] = [await anchored('1'), await anchored('2')]
  const { second: log, list } = await rolledLog('anchors', [[], [earlier, newest].map(anchorEntry)])
  const record: AnchorRecord = { ...earlier, position: { log: log.log, index: 1 } }
  const leaves = [anchorLeafHash(leafOf(record))]
  const checkpoint = await log.checkpoint()
  const situation = {
    log,
    list,
    record,
    checkpoint,
    proof: (first: number, second: number) => log.consistency(first, second),
    bundle: {
      format: 'svc/anchor-bundle/v2',
      record,
      log: list.statement.logs[1]!,
      proof: log.inclusion(1),
      checkpoint,
      first: null,
      cosigned: [],
    } as Omit<AnchorBundle, 'checkpoint'> & { checkpoint: LogCheckpoint },
    seen: { anchorId: record.anchorId, position: { log: log.log, index: 1 }, cosigned: [] as Seen[] },
    state: {
      window: 1,
      count: 1,
      root: toHex(merkleRoot(leaves)),
      leaves: leaves.map(toHex),
      createdAt: new Date(NOW).toISOString(),
      hashAlg: 'sha3-384',
      anchors: [leafOf(record)],
      withheld: [],
    },
    history: { ...keysOf(alice), keys: keysOf(alice).keys as readonly object[] },
    page: { items: [record], count: 1, cursor: null } as AnchorList,
    now: NOW,
    options: { logListKeys: listKeysOf(listSigners) } as Partial<ClientOptions>,
    args: (): unknown[] => [],
    answers: () => ({
      '/api/logs': data({ list: situation.list, earlier: [] }),
      '/api/anchors/state-proof': situation.state,
      '/api/anchors/checkpoint': situation.checkpoint,
      '/api/anchors/consistency': (query: URLSearchParams) => {
        const [first = 0, second = 0] = ['first', 'second'].map((name) => Number(query.get(name)))
        return { log: log.log, first, second, proof: situation.proof(first, second) }
      },
      [`/api/chain/root/${alice.did}/history`]: (query: URLSearchParams) =>
        data({ ...situation.history, keys: situation.history.keys.slice(Number(query.get('from'))) }),
      '/api/anchors': situation.page,
      [`/api/anchors/${record.anchorId}`]: situation.record,
      [`/api/anchors/${record.anchorId}/bundle`]: situation.bundle,
      [`/api/anchors/${record.anchorId}/cosigned`]: situation.seen,
    }),
  }
  return situation
}
export type Anchored = Awaited<ReturnType<typeof anchors>>
export const about = (args: (s: Anchored) => unknown[]) => async () => {
  const situation = await anchors()
  return Object.assign(situation, { args: () => args(situation) })
}
export const otherAnchor = async () => ({ ...(await anchored('2')), position: null })

export const falseBundle = (lie: string, reason: Lie['reason'], tell: Lie<Anchored>['tell']): Lie<Anchored> => ({
  lie,
  reason,
  tell,
  subject: 'anchor',
})

/** The same of an anchor with a place in a log. */
export const inBundle = (
  ...[lie, reason, tell, log = LOGS.anchors]: [...Parameters<typeof falseBundle>, log?: string]
) => ({
  ...falseBundle(lie, reason, tell),
  where: { log, position: 1 },
})
