import { beforeAll, describe, expect, it } from 'vitest'
import { closeEntry } from '../../merkle/entries.ts'
import {
  closedEntry,
  firstKey,
  fixtureLog,
  ISSUED_AT,
  type LogSigner,
  openedEntry,
  REALM,
  type RolledLog,
  rolledLog,
  secondKey,
} from '../../merkle/rolled-log.fixture.ts'
import { anchorEntry } from '../anchor-log.ts'
import { type AnchorRecord, anchorIdOf, type SignedCheckpoint } from '../anchors.ts'
import {
  attestation,
  bundleOf,
  checkpointOf,
  entry,
  LOG,
  owner,
  recordAt,
  SIZES,
  stranger,
} from './anchor-bundle.fixture.ts'
import { type AnchorBundle, anchorBundleSchema } from './anchor-bundle.ts'
import { type LogTrust, verifyBundle } from './verify-bundle.ts'

const keyOf = ({ ownerPublicKey: logKeyB64u }: LogSigner): LogTrust => ({ logKeyB64u })
const verify = (bundle: AnchorBundle, trust = keyOf(firstKey)) => verifyBundle(bundle, trust, [REALM])
const refused = (reason: string) => ({ ok: false, error: { reason } })

describe('verifyBundle', () => {
  it.each(SIZES)('accepts every anchor of a log of %i', async (size) => {
    for (let index = 1; index < size; index++) {
      const bundle = await bundleOf(index, size)
      expect(anchorBundleSchema.parse(bundle)).toEqual(bundle)
      expect(await verify(bundle)).toEqual({ ok: true, value: undefined })
      expect(await verify(bundle, { list: { logs: [entry] } })).toEqual({ ok: true, value: undefined })
    }
  })

  it('refuses a log with another key, even if its signature is valid', async () => {
    const bundle = await bundleOf(4, 7)
    expect(await verify(bundle, keyOf(secondKey))).toEqual(refused('wrong_log'))
    const theirs = { ...bundle, checkpoint: await checkpointOf(7, {}, secondKey) }
    expect(await verify(theirs)).toEqual(refused('wrong_log'))
    expect(await verify(theirs, keyOf(secondKey))).toEqual(refused('wrong_log'))
    const listed = { ...entry, publicKeyB64u: secondKey.ownerPublicKey }
    expect(await verify({ ...theirs, log: listed }, keyOf(secondKey))).toMatchObject({ ok: true })
    expect(await verify({ ...theirs, log: listed }, { list: { logs: [entry] } })).toEqual(refused('wrong_log'))
    expect(await verify({ ...bundle, log: listed }, { list: { logs: [] } })).toEqual(refused('unlisted_log'))
  })

  it.each<[object, string]>([
    [{ size: 8 }, 'invalid_signature'],
    [{ root: 'a7'.repeat(48) }, 'invalid_signature'],
    [{ issuedAt: 1 }, 'invalid_signature'],
    [{ log: 'https://core.example/anchors/2027a' }, 'wrong_log'],
    [{ realm: 'https://core.example' }, 'invalid_signature'],
  ])('refuses a checkpoint whose statement was changed to %o', async (members, reason) => {
    const bundle = await bundleOf(4, 7)
    const statement = { ...bundle.checkpoint.statement, ...members }
    const forged = { ...bundle, checkpoint: { ...bundle.checkpoint, statement } }
    expect(await verify(forged)).toEqual(refused(reason))
  })

  it('refuses a checkpoint signed by another key that claims to be this one', async () => {
    const forged = { ...(await checkpointOf(7, {}, secondKey)), publicKeyB64u: firstKey.ownerPublicKey }
    expect(await verify({ ...(await bundleOf(4, 7)), checkpoint: forged })).toEqual(refused('invalid_signature'))
  })

  it.each<[Partial<AnchorRecord>, string]>([
    [{ createdAt: '2020-01-01T00:00:00.000Z' }, 'not_included'],
    [{ position: { log: LOG, index: 3 } }, 'not_included'],
    [{ position: { log: LOG, index: 7 } }, 'not_included'],
    [{ position: { log: LOG, index: -1 } }, 'not_included'],
    [{ position: { log: LOG, index: 4.5 } }, 'not_included'],
    [{ position: { log: `${REALM}/anchors/2027b`, index: 4 } }, 'wrong_log'],
    [{ position: null }, 'not_in_log'],
    [{ attestations: [] }, 'not_included'],
    [{ owner: stranger.did }, 'wrong_owner'],
    [{ root: 'a7'.repeat(48) }, 'wrong_owner'],
    [{ epoch: 'epoch-5' }, 'wrong_owner'],
    [{ anchorId: 'A'.repeat(32) }, 'wrong_owner'],
  ])('refuses a record with %o', async (change, reason) => {
    const bundle = await bundleOf(4, 7)
    expect(await verify({ ...bundle, record: { ...bundle.record, ...change } })).toEqual(refused(reason))
  })

  it('refuses a record made to fit another owner, and attestations exchanged for other valid ones', async () => {
    const bundle = await bundleOf(4, 7)
    const { root, epoch } = bundle.record
    const theirs = await attestation(stranger, root, epoch, { subject: stranger.did })
    const anchorId = anchorIdOf(stranger.did, root, epoch)
    const stolen = { ...bundle.record, owner: stranger.did, anchorId, attestations: [theirs] }
    expect(await verify({ ...bundle, record: stolen })).toEqual(refused('not_included'))
    const exchanged = { ...bundle.record, attestations: [await attestation(stranger, root, epoch)] }
    expect(await verify({ ...bundle, record: exchanged })).toEqual(refused('not_included'))
  })

  it('refuses an attestation of another submission, owner, realm or time, and a duplicate key', async () => {
    const bundle = await bundleOf(4, 7)
    const { root, epoch, attestations: own } = bundle.record
    const [first] = own
    for (const attestations of [
      [await attestation(owner, root, 'epoch-5')],
      [await attestation(owner, root, epoch, { subject: stranger.did })],
      [await attestation(owner, root, epoch, { realm: 'https://core.example' })],
      [{ ...first!, signedAt: new Date(ISSUED_AT + 1).toISOString() }],
      [{ ...first!, signedAt: undefined }],
      [{ ...first!, publicKeyB64u: stranger.ownerPublicKey }],
      [{ ...first!, signatureB64u: `${first!.signatureB64u.slice(0, -8)}AAAAAAAA` }],
      [{ ...first!, signatureB64u: 'AAAA' }],
      [first!, first!],
    ]) {
      expect(await verify({ ...bundle, record: { ...bundle.record, attestations } })).toEqual(
        refused('invalid_attestation'),
      )
    }
  })

  it('accepts what was attested in a realm that the deployment had before', async () => {
    const bundle = await bundleOf(4, 7)
    const moved = 'https://core.example'
    expect(await verifyBundle(bundle, keyOf(firstKey), [moved, REALM])).toMatchObject({ ok: true })
    expect(await verifyBundle(bundle, keyOf(firstKey), [moved])).toEqual(refused('invalid_attestation'))
  })

  it('refuses a proof that was truncated, extended, reordered or changed', async () => {
    const bundle = await bundleOf(4, 7)
    const { proof } = bundle
    expect(proof).toHaveLength(3)
    for (const forged of [
      [],
      proof.slice(1),
      proof.slice(0, 2),
      [...proof, proof[0]!],
      proof.toReversed(),
      [proof[0]!, proof[0]!, proof[2]!],
      ['a7'.repeat(48), ...proof.slice(1)],
    ]) {
      expect(await verify({ ...bundle, proof: forged })).toEqual(refused('not_included'))
    }
  })

  it('refuses another anchor’s proof and a proof for another size', async () => {
    const bundle = await bundleOf(4, 7)
    expect(await verify({ ...bundle, proof: (await bundleOf(5, 7)).proof })).toEqual(refused('not_included'))
    expect(await verify({ ...bundle, proof: (await bundleOf(4, 8)).proof })).toEqual(refused('not_included'))
    expect(await verify({ ...bundle, checkpoint: await checkpointOf(8) })).toEqual(refused('not_included'))
    expect(await verify({ ...bundle, checkpoint: await checkpointOf(3) })).toEqual(refused('not_included'))
  })

  it('does not cover the publisher’s reports, which change later', async () => {
    const bundle = await bundleOf(4, 7)
    const record = {
      ...bundle.record,
      status: 'confirmed' as const,
      chains: [{ chain: 'example-ledger', tx: '0xabc' }],
    }
    expect(await verify({ ...bundle, record })).toMatchObject({ ok: true })
  })
})

describe('a bundle and a roll of the log', () => {
  let rolled: RolledLog
  let [before, after]: AnchorRecord[] = []

  beforeAll(async () => {
    before = await recordAt(1)
    after = await recordAt(1, `${REALM}/anchors/2027b`)
    rolled = await rolledLog('anchors', [[anchorEntry(before)], [anchorEntry(after)]])
  })

  const bundleIn = async (which: 'first' | 'second', size?: number): Promise<AnchorBundle> => {
    const period = rolled[which]
    return {
      format: 'svc/anchor-bundle/v2',
      record: which === 'first' ? before! : after!,
      log: openedEntry('anchors', period, null),
      proof: period.inclusion(1, size),
      checkpoint: (await period.checkpoint(size)) as SignedCheckpoint,
      first: null,
      cosigned: [],
    }
  }

  it('verifies against the list from before the roll and after it, in both periods', async () => {
    const open = { logs: [openedEntry('anchors', rolled.first, null)] }
    const made = await bundleIn('first', 2)
    for (const list of [open, rolled.list.statement]) expect(await verify(made, { list })).toMatchObject({ ok: true })
    const list = rolled.list.statement
    for (const which of ['first', 'second'] as const) {
      expect(await verify(await bundleIn(which), { list })).toMatchObject({ ok: true })
    }
    expect(await verify(await bundleIn('second'), { list: open })).toEqual(refused('unlisted_log'))
    expect(await verify(made)).toMatchObject({ ok: true })
  })

  it('is refused beyond the end that the list gives for its log', async () => {
    const { first } = rolled
    const lines = [...first.lines.slice(0, 2), closeEntry(null), anchorEntry(await recordAt(3))]
    const continued = fixtureLog('anchors', first.log, firstKey, lines)
    const checkpoint = (await continued.checkpoint()) as SignedCheckpoint
    const bundle = { ...(await bundleIn('first')), proof: continued.inclusion(1), checkpoint }
    expect(await verify(bundle, { list: rolled.list.statement })).toEqual(refused('beyond_final'))
    expect((await closedEntry('anchors', first)).final?.statement.size).toBe(3)
  })
})
