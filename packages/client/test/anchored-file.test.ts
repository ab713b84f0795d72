import { hashHex } from '@svc/protocol/base/hash'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { type AnchorRecord, anchorIdOf } from '@svc/protocol/ledger/anchors'
import { rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { expect, it } from 'vitest'
import { judgeAnchor } from '../src/evidence/judge-logs.ts'
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
const judged = (given: Uint8Array | null) =>
  judgeAnchor(bundle, {
    client: null,
    realms: REALMS,
    expectedDid: null,
    file: given,
    logKeyB64u,
    passphrase: async () => '',
  })

it('is valid for the file that was anchored, and says so', async () => {
  const { verdict, checks } = await judged(file)
  expect(verdict).toBe('valid')
  expect(checks.map(({ check }) => check)).toContain('anchored_file')
})

it('says nothing of a file where none is given', async () => {
  const { verdict, checks } = await judged(null)
  expect(verdict).toBe('valid')
  expect(checks.map(({ check }) => check)).not.toContain('anchored_file')
})

it('refuses another file', async () => {
  await expect(judged(encoded('A photo!'))).rejects.toMatchObject({ subject: 'anchor', reason: 'content_mismatch' })
})
