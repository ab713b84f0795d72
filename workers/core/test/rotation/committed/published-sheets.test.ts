/** Keys of sheets that the root key has published, to which clients without a record of the sheets encrypt notes. */
import type { Client, Device, Identity } from '@svc/client'
import { recordOfSheet, renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import type { Capability } from '@svc/protocol/base/device'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { byHost, fetchOf, REALM, REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { send } from '../../harness.ts'
import { at, DAY_MS } from '../rotation.fixture.ts'
import { created, lender, newDevice, stranger } from './sheets.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

const WRITES: readonly Capability[] = ['account:read', 'notes:read', 'notes:write']

/** Returns a device that was paired elsewhere and knows only public data of its identity. */
async function paired(root: Client, { did }: Identity): Promise<Device> {
  const device = await newDevice(WRITES)
  const attestation = await root.devices.attest(await device.acceptance(did, { realm: REALM }))
  return device.attested(attestation, await root.keyHistory.of(did), REALMS)
}

/** Returns the key ids of the sheets' readers for an identity. */
async function idsOf(sheets: readonly SuccessorSheet[], { scope }: Identity): Promise<string[]> {
  const readers = await Promise.all(sheets.map((sheet) => sheet.reader(scope)))
  return readers.map(({ kemPublicKeyB64u }) => kemKeyId(kemPublicKeyB64u))
}

/** Recovers the identity with a sheet, which takes a day, and returns the new root key. */
async function recovered(identity: Identity, sheet: SuccessorSheet, following: readonly SuccessorSheet[]) {
  const epoch = identity.epoch + 1
  const request = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: [sheet], following })
  const successor = await sheet.successor({ scope: identity.scope, epoch })
  const helper = stranger({ identity: await lender() })
  await helper.recovery(request).recover({ successor })
  at(Date.now() + DAY_MS)
  expect(await helper.recovery(request).recover({ successor })).toMatchObject({ status: { stage: 'done' } })
  return successor
}

describe('a note from a device that was paired elsewhere', () => {
  it('opens with the words of either sheet, after the root key and all devices are lost', async () => {
    const { identity, client, words, papers } = await created()
    const { scope } = identity
    at(Date.now())
    await client.did.register()
    const phone = stranger({ device: await paired(client, identity) })
    const { noteId } = await phone.notes.put({ body: 'from the phone' })
    const root = await recovered(identity, papers[0]!, papers)
    const read = (sheetReaders: Awaited<ReturnType<SuccessorSheet['reader']>>[]) =>
      stranger({ identity: root, sheetReaders }).notes.get(noteId, undefined, { acceptEnded: true })
    await expect(read([])).rejects.toMatchObject({ name: 'VerificationError' })
    for (const text of words) {
      const reader = await SuccessorSheet.fromWords(text).reader(scope)
      expect(await read([reader])).toMatchObject({ body: 'from the phone' })
    }
  })

  it('is encrypted to the current sheets once the new root key has published them', async () => {
    const { identity, client, papers } = await created()
    at(Date.now())
    await client.did.register()
    const [left, lost] = papers as [SuccessorSheet, SuccessorSheet]
    const following = [left, SuccessorSheet.create()]
    const successor = await recovered(identity, left, following)
    const sheets = await Promise.all(
      following.map((sheet) => recordOfSheet(sheet, { scope: identity.scope, epoch: 2 })),
    )
    const next = stranger({ identity: successor, sheets })
    const phone = stranger({ device: await paired(next, successor) })
    await expect(phone.notes.put({ body: 'x' })).rejects.toThrow('call `did.register` first')
    await next.did.register()
    const { readers } = await phone.notes.put({ body: 'for those of now' })
    expect(readers).toEqual(expect.arrayContaining(await idsOf(following, identity)))
    expect(readers).not.toEqual(expect.arrayContaining(await idsOf([lost], identity)))
  })

  it.each([
    ['removed one', (sheets: object[]) => sheets.slice(1)],
    ['replaced one', (sheets: object[], other: object) => [sheets[0], other]],
    ['removed all', () => undefined],
  ])('is not written if a resolver %s', async (_, change) => {
    const { identity, client } = await created()
    await client.did.register()
    const { kemPublicKeyB64u, x25519B64u } = await SuccessorSheet.create().reader(identity.scope)
    const phone = stranger({ device: await paired(client, identity) }, (authority) => {
      const { statement, signatureB64u } = authority.keyAgreement!
      const sheets = change(statement.sheets ?? [], { kemPublicKeyB64u, x25519B64u }) as typeof statement.sheets
      const { sheets: _signed, ...rest } = statement
      return { ...authority, keyAgreement: { statement: sheets ? { ...rest, sheets } : rest, signatureB64u } }
    })
    await expect(phone.notes.put({ body: 'x' })).rejects.toMatchObject({
      subject: 'resolution',
      reason: 'invalid_signature',
    })
  })
})

describe('a root key without records of its sheets', () => {
  it('encrypts notes to the sheets that it has published', async () => {
    const { identity, client, papers } = await created()
    await client.did.register()
    const { readers } = await stranger({ identity }).notes.put({ body: 'elsewhere' })
    expect(readers).toEqual(expect.arrayContaining(await idsOf(papers, identity)))
  })

  it('keeps them published when it registers again', async () => {
    const { identity, client } = await created()
    at(Date.now())
    await client.did.register()
    const stated = async () => {
      const { didDocument } = await stranger().did.resolve(identity.did)
      return didDocument?.keyAgreement?.[0]?.signedStatement?.statement
    }
    const first = await stated()
    expect(first?.sheets).toHaveLength(2)
    at(Date.now() + 1000)
    await stranger({ identity }).did.register()
    const second = await stated()
    expect(second).toEqual({ ...first, issuedAt: Date.now(), inception: second?.inception })
    at(Date.now() + 1000)
    await stranger({ identity, sheets: [] }).did.register()
    expect((await stated())?.sheets).toBeUndefined()
  })

  it('needs no resolver if it has no commitment', async () => {
    const { identity } = await stranger().createIdentity({ device: await newDevice(), keep: () => null })
    const alone = stranger({ identity, fetch: fetchOf(byHost({ core: send })) })
    expect((await alone.notes.put({ body: 'x' })).readers).toHaveLength(1)
  })
})
