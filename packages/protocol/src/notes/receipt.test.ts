import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { signStatement } from '../base/statement.ts'
import { type DeletionReceipt, deletionReceiptSchema, verifyReceipt } from './log.ts'
import { alice, exportOf, logOf, NOW, noteOf, rootOf, service, tombstoneEntry, versionEntry } from './notes.fixture.ts'

const gone = await noteOf('gone', 3)
const log = logOf([versionEntry(gone), tombstoneEntry('gone')])

describe('a manifest or a receipt', async () => {
  const [page] = await exportOf(log)
  const { manifest } = page!
  const deletion = {
    type: 'svc/note-deletion/v1',
    realm: REALM,
    did: alice.did,
    size: 2,
    root: rootOf(log),
    noteId: 'gone',
    seq: 1,
    versions: 1,
    attachments: 0,
    lastRecordHash: versionEntry(gone).recordHash!,
    collectableFrom: NOW,
    issuedAt: NOW,
  } as const
  const signed = await signStatement(deletion, service.sign)
  const receipt: DeletionReceipt = { ...signed, publicKeyB64u: service.ownerPublicKey }

  it('is valid if signed by the expected key', async () => {
    expect(deletionReceiptSchema.parse(receipt)).toEqual(receipt)
    expect(await verifyReceipt(manifest, service.ownerPublicKey, REALMS)).toBe(true)
    expect(await verifyReceipt(receipt, service.ownerPublicKey, REALMS)).toBe(true)
  })

  it('is not valid from any other key', async () => {
    const forged = { ...(await signStatement(deletion, alice.sign)), publicKeyB64u: alice.ownerPublicKey }
    expect(await verifyReceipt(forged, service.ownerPublicKey, REALMS)).toBe(false)
    expect(
      await verifyReceipt({ ...forged, publicKeyB64u: service.ownerPublicKey }, service.ownerPublicKey, REALMS),
    ).toBe(false)
    expect(await verifyReceipt(receipt, alice.ownerPublicKey, REALMS)).toBe(false)
    const misnamed = { ...receipt, publicKeyB64u: alice.ownerPublicKey }
    expect(await verifyReceipt(misnamed, service.ownerPublicKey, REALMS)).toBe(false)
  })

  it.each(Object.keys(deletion).filter((name) => name !== 'type'))('is not valid with another %s', async (name) => {
    const changed = { ...receipt, statement: { ...deletion, [name]: 'x' } } as unknown as DeletionReceipt
    expect(await verifyReceipt(changed, service.ownerPublicKey, REALMS)).toBe(false)
  })
})
