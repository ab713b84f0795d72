import { hashHex } from '@svc/protocol/base/hash'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { type AnchorRecord, anchorIdOf } from '@svc/protocol/ledger/anchors'
import { rootOfFile } from '@svc/protocol/ledger/blind-root'
import { rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client.ts'
import { judge, judgeAll } from '../../src/evidence/judge.ts'
import { attestationBy } from '../../src/ledger/attestation.ts'
import { NOW } from '../lies/situation.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'

const encoded = (text: string) => new TextEncoder().encode(text)

async function anchored(file: Uint8Array, { by = alice, nonceB64u = null as string | null } = {}) {
  const [root, owner, epoch] = [rootOfFile(hashHex(file), nonceB64u), by.did, '-']
  const placed = { anchorId: anchorIdOf(owner, root, epoch), root, epoch, hashAlg: 'sha3-384' as const, owner }
  const unplaced: AnchorRecord = {
    ...placed,
    createdAt: new Date(NOW).toISOString(),
    attestations: [await attestationBy(by, (at) => submissionBytes({ owner, root, epoch }, REALM, at), NOW)],
    salt: 'A'.repeat(22),
    status: 'submitted',
    position: null,
  }
  const { second: log, list } = await rolledLog('anchors', [[], [anchorEntry(unplaced)]])
  const listed = list.statement.logs[1]!
  return {
    logKeyB64u: listed.publicKeyB64u,
    bundle: {
      format: 'svc/anchor-bundle/v2',
      record: { ...unplaced, position: { log: log.log, index: 1 } },
      log: listed,
      proof: log.inclusion(1),
      checkpoint: await log.checkpoint(),
      first: null,
      cosigned: [],
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
  expect(notCompared.map(({ check }) => check)).toEqual(['cosigned', 'anchor_status', 'order', 'file'])
})

it('refuses another file', async () => {
  const other = encoded('A photo!')
  await expect(judged(other)).rejects.toMatchObject({ subject: 'anchor', reason: 'content_mismatch' })
  const { verdict, refuted } = await judgeAll(ANCHOR, null, meansOf(other))
  expect([verdict, refuted[0]?.found]).toEqual(['invalid', expect.objectContaining({ reason: 'content_mismatch' })])
})

const NONCE = `${'N'.repeat(42)}Q`

it('is valid for a file that was anchored blindly, with the nonce of its bundle only', async () => {
  const blind = await anchored(file, { nonceB64u: NONCE })
  const verdictWith = (nonceB64u: string | undefined) =>
    judge({ kind: 'anchor', value: { ...blind.bundle, nonceB64u } }, null, {
      ...meansOf(file),
      logKeyB64u: blind.logKeyB64u,
    })
  expect(await verdictWith(NONCE)).toMatchObject({ verdict: 'valid' })
  for (const other of [`${'M'.repeat(42)}Q`, undefined])
    await expect(verdictWith(other)).rejects.toMatchObject({ reason: 'content_mismatch' })
})

it('refuses a nonce for a file that is anchored by its own hash', async () => {
  const value = { ...bundle, nonceB64u: NONCE }
  await expect(judge({ kind: 'anchor', value }, null, meansOf(file))).rejects.toMatchObject({
    reason: 'content_mismatch',
  })
})

describe('a file that is looked for', () => {
  /** Answers with these anchors, oldest first, and knows no registration and no keys. */
  async function askedFor(...anchors: readonly Awaited<ReturnType<typeof anchored>>[]) {
    const bundles = new Map(anchors.map((one) => [one.bundle.record.anchorId, one.bundle]))
    const refused = (status: number) =>
      Promise.reject(Object.assign(new Error('none'), { name: 'ServiceError', status }))
    const client = {
      anchors: {
        all: async function* ({ root }: { root: string }) {
          for (const { record } of bundles.values()) if (record.root === root) yield record
        },
        bundle: async (anchorId: string) => bundles.get(anchorId),
      },
      provenance: { proof: () => refused(404) },
      keyHistory: { of: () => refused(503) },
    } as unknown as Client
    return judge({ kind: 'content', value: null }, file, { ...meansOf(null), client })
  }

  it('is of its owner, if one anchored it', async () => {
    expect(await askedFor(await anchored(file))).toMatchObject({ verdict: 'valid', did: alice.did })
  })

  it('is of nobody if several did, and names each with its time', async () => {
    const { verdict, did, proved } = await askedFor(await anchored(file), await anchored(file, { by: mallory }))
    expect([verdict, did]).toEqual(['valid', null])
    expect(proved.filter(({ check }) => check === 'anchored_by').map(({ found }) => found)).toEqual([
      { did: alice.did, at: NOW },
      { did: mallory.did, at: NOW },
    ])
  })

  it('is not found by an anchor that hides it', async () => {
    const { verdict, notCompared } = await askedFor(await anchored(file, { nonceB64u: NONCE }))
    expect([verdict, notCompared.map(({ check }) => check)]).toEqual(['unknown', ['public_record']])
  })
})
