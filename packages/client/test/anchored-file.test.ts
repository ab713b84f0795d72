import { hashHex } from '@svc/protocol/base/hash'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { type AnchorRecord, anchorIdOf } from '@svc/protocol/ledger/anchors'
import { rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { expect, it } from 'vitest'
import { judge, judgeAll } from '../src/evidence/judge.ts'
import { attestationBy } from '../src/ledger/attestation.ts'
import { NOW } from './lies/situation.ts'
import { REALM, REALMS } from './realm.ts'
import { alice } from './sides.ts'

const encoded = (text: string) => new TextEncoder().encode(text)

async function anchored(file: Uint8Array) {
  const [root, owner, epoch] = [hashHex(file), alice.did, 'photo.jpg']
  const placed = { anchorId: anchorIdOf(owner, root, epoch), root, epoch, hashAlg: 'sha3-384' as const, owner }
  const unplaced: AnchorRecord = {
    ...placed,
    createdAt: new Date(NOW).toISOString(),
    attestations: [await attestationBy(alice, (at) => submissionBytes({ owner, root, epoch }, REALM, at), NOW)],
    salt: 'A'.repeat(22),
    status: 'submitted',
    position: null,
  }
  const { second: log, list } = await rolledLog('anchors', [[], [anchorEntry(unplaced)]])
  const listed = list.statement.logs[1]!
  return {
    logKeyB64u: listed.publicKeyB64u,
    bundle: {
      format: 'svc/anchor-bundle/v1',
      record: { ...unplaced, position: { log: log.log, index: 1 } },
      log: listed,
      proof: log.inclusion(1),
      checkpoint: await log.checkpoint(),
    },
  }
}

const file = encoded('A photo.')
const { bundle, logKeyB64u } = await anchored(file)
const ANCHOR = { kind: 'anchor', value: bundle } as const
const meansOf = (given: Uint8Array | null) => ({
  client: null,
  realms: REALMS,
  expectedDid: null,
  file: given,
  logKeyB64u,
  passphrase: async () => '',
})
const judged = (given: Uint8Array | null) => judge(ANCHOR, null, meansOf(given))

it('is valid for the file that was anchored, and says so', async () => {
  const { verdict, checks } = await judged(file)
  expect(verdict).toBe('valid')
  expect(checks.map(({ check }) => check)).toContain('anchored_file')
})

it('is undecided where no file is given, and says that it was not compared', async () => {
  const { verdict, proved, notCompared, refuted, needs } = await judged(null)
  expect([verdict, needs, refuted]).toEqual(['undecided', 'file', []])
  expect(proved.map(({ check }) => check)).toEqual(['anchor_root', 'in_log'])
  expect(notCompared.map(({ check }) => check)).toEqual(['anchor_status', 'order', 'file'])
})

it('refuses another file', async () => {
  const other = encoded('A photo!')
  await expect(judged(other)).rejects.toMatchObject({ subject: 'anchor', reason: 'content_mismatch' })
  const { verdict, refuted } = await judgeAll(ANCHOR, null, meansOf(other))
  expect([verdict, refuted[0]?.found]).toEqual(['invalid', expect.objectContaining({ reason: 'content_mismatch' })])
})
