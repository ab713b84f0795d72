import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import type { ServiceKey } from '@svc/protocol/http/service-keys'
import type { ExportedChange, NoteExport } from '@svc/protocol/notes/log'
import {
  alice,
  attachmentEntry,
  erased,
  exportOf,
  logOf,
  NOW,
  noteOf,
  service,
  tombstoneEntry,
  versionEntry,
} from '@svc/protocol/notes/notes.fixture'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { heirOfAlice, mallory } from '../../test/sides.ts'
import { Client } from '../client.ts'
import { detectFile } from './detect/detect.ts'
import { judge } from './judge.ts'
import { historyOfAlice, MALFORMED, namesOf, OFFLINE, text } from './means.fixture.ts'
import type { Means } from './means.ts'

const SEALED = new Uint8Array(17).fill(9)
const attached = { ...attachmentEntry('n1', 'a1'), recordHash: hashHex(SEALED) }
const log = logOf([
  versionEntry(await noteOf('n1', 1)),
  attached,
  erased(versionEntry(await noteOf('n2', 2))),
  tombstoneEntry('n2'),
])
const pages = await exportOf(log, 2)
const attachment = { kind: 'attachment', cipherHash: hashHex(SEALED), sealedB64u: encodeBase64url(SEALED) }
const HEAD = { format: 'svc/note-archive/v1', did: alice.did }

const fileOf = (given: readonly NoteExport[] = pages, more: readonly object[] = [attachment], head: object = HEAD) =>
  [head, ...given.map((page) => ({ kind: 'page', page })), ...more].map((line) => `${JSON.stringify(line)}\n`).join('')

const judgeFile = (content: string, means: Partial<Means> = {}) => {
  const bytes = text(content)
  return judge(detectFile(bytes), bytes, { ...OFFLINE, ...means })
}

const { keys: rotated } = await heirOfAlice()
const [replaced] = rotated

/** A client that knows the keys of Alice, and with `key` that of core for receipts. */
function clientWith(key: string | null, shown?: readonly object[]): Client {
  const known: ServiceKey[] =
    key === null ? [] : [{ service: 'core', use: 'receipt', publicKeyB64u: key, validFrom: 0, validUntil: null }]
  const fetch = fetchOf(async ({ url }) => Response.json({ success: true, data: historyOfAlice(url, shown) }))
  const client = new Client({ core: REALM, did: 'https://did.test', fetch, now: () => NOW, retries: false })
  Object.defineProperty(client, 'discovery', {
    value: key === null ? undefined : { pin: { list: { statement: { services: known } } } },
  })
  return client
}
const client = clientWith(service.ownerPublicKey)

describe('an export of notes', () => {
  it('is valid if nothing is missing, and its notes and its state are signed', async () => {
    const verdict = await judgeFile(fileOf(), { client })
    expect(verdict).toMatchObject({ kind: 'notes', verdict: 'valid', did: alice.did, at: NOW })
    expect(verdict).toMatchObject({ signer: 'active', order: 'log' })
    expect(namesOf(verdict)).toEqual(['archive ok', 'records ok', 'manifest ok', 'signer ok', 'sealed unchecked'])
    expect(verdict.checks[1]?.found).toEqual({ versions: 1, attachments: 1 })
  })

  it('is undecided without the keys, and says which', async () => {
    const verdict = await judgeFile(fileOf())
    expect(verdict).toMatchObject({ verdict: 'undecided', needs: 'key_history' })
    expect(namesOf(verdict)).toEqual([
      'archive ok',
      'record_keys unchecked',
      'service_key unchecked',
      'order unchecked',
      'sealed unchecked',
    ])
    expect(verdict).toMatchObject({ signer: null, order: 'unknown' })
    expect(await judgeFile(fileOf(), { client: clientWith(null) })).toMatchObject({ needs: 'service_key' })
  })

  it('after a rotation is valid only if the vault accepted each version before the key ended', async () => {
    const at = (activatedAt: number) => clientWith(service.ownerPublicKey, [replaced, { ...rotated[1], activatedAt }])
    const verdict = await judgeFile(fileOf(), { client: at(NOW) })
    expect(verdict).toMatchObject({ verdict: 'valid', signer: 'superseded', order: 'log' })
    const late = { subject: 'note', reason: 'unordered' }
    await expect(judgeFile(fileOf(), { client: at(NOW - 1) })).rejects.toMatchObject(late)
  })

  it('has no order without the key of the service, which signed the times', async () => {
    const verdict = await judgeFile(fileOf(), { client: clientWith(null, rotated) })
    expect(verdict).toMatchObject({ verdict: 'undecided', signer: null, order: 'unknown' })
  })

  it.each<[string, string]>([
    ['without its last page', fileOf(pages.slice(0, 1))],
    ['without an attachment', fileOf(pages, [])],
    ['with another attachment', fileOf(pages, [{ ...attachment, sealedB64u: encodeBase64url(new Uint8Array(17)) }])],
    ['with a changed entry', fileOf([changed({ acceptedAt: NOW + 1 }), ...pages.slice(1)])],
    [
      'with another ciphertext',
      fileOf([changed({ ciphertextB64u: encodeBase64url(new Uint8Array(64)) }), ...pages.slice(1)]),
    ],
    ['of somebody else', fileOf(pages, [attachment], { ...HEAD, did: mallory.did })],
    ['without pages', fileOf([], [])],
  ])('%s is invalid, also without a network', async (_, content) => {
    await expect(judgeFile(content)).rejects.toMatchObject({ name: 'VerificationError', subject: 'vault' })
  })

  it('with a note or a state that another key signed is invalid', async () => {
    const forged = structuredClone(pages)
    const [record] = forged[0]?.entries ?? []
    if (record?.record) Object.assign(record.record, { signatureB64u: pages[0]?.manifest.signatureB64u })
    await expect(judgeFile(fileOf(forged), { client })).rejects.toMatchObject({ reason: 'invalid_signature' })
    const other = clientWith(alice.ownerPublicKey)
    await expect(judgeFile(fileOf(), { client: other })).rejects.toMatchObject({ subject: 'receipt' })
  })

  it('of somebody else is invalid for the DID that it must be of', async () => {
    const means = { expectedDid: mallory.did }
    await expect(judgeFile(fileOf(), means)).rejects.toMatchObject({ reason: 'wrong_identity' })
  })

  it('that is cut within a line does not have its form', async () => {
    await expect(judgeFile(fileOf().slice(0, 500))).rejects.toMatchObject(MALFORMED)
    await expect(judgeFile(`${JSON.stringify(HEAD)}\n{"kind":"page"}\n`)).rejects.toMatchObject(MALFORMED)
  })
})

function changed(members: Partial<ExportedChange>): NoteExport {
  const [page] = structuredClone(pages)
  if (!page) throw new Error('The export has no pages')
  Object.assign(page.entries[0] ?? {}, members)
  return page
}
