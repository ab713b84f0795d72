import { describe, expect, it } from 'vitest'
import { toHex } from '../base/hash.ts'
import { merkleRoot } from '../merkle/tree.ts'
import { changeLeaf, type ExportedChange, ExportVerifier, type NoteExport, noteExportSchema } from './log.ts'
import {
  attachmentEntry,
  changeOf,
  erased,
  exportOf,
  logOf,
  NOW,
  noteOf,
  rootOf,
  service,
  tombstoneEntry,
  versionEntry,
} from './notes.fixture.ts'

const [one, two, gone] = [await noteOf('one', 1), await noteOf('two', 2), await noteOf('gone', 3)]
const oneAgain = await noteOf('one', 4, { follows: versionEntry(one).recordHash }, { operation: 'update' })

/** Two notes, one with an attachment and a second version, and a deleted one. */
const log = logOf([
  versionEntry(one),
  erased(versionEntry(gone)),
  attachmentEntry('one', 'a1'),
  versionEntry(oneAgain, 2),
  erased(attachmentEntry('gone', 'a2')),
  versionEntry(two),
  tombstoneEntry('gone'),
])
const at = (seq: number) => log[seq]!
const put = (seq: number, members: Partial<ExportedChange>) =>
  log.map((e) => (e.seq === seq ? { ...e, ...members } : e))
const TRUTH = { size: log.length, root: rootOf(log) }

/** The fault of an export, read page by page. */
function faultOf(pages: readonly NoteExport[]) {
  const verifier = new ExportVerifier()
  for (const page of pages) {
    const fault = verifier.next(page)
    if (fault) return fault
  }
  return verifier.end()
}

describe('an export', () => {
  it.each([1, 2, 3, 7, 100])('that is complete is valid, with %d entries per page', async (perPage) => {
    const pages = await exportOf(log, perPage)
    expect(pages).toHaveLength(Math.ceil(7 / perPage))
    expect(pages.map((page) => noteExportSchema.parse(page))).toEqual(pages)
    expect(faultOf(pages)).toBeNull()
  })

  it('of an empty vault is valid', async () => {
    const pages = await exportOf([])
    expect(pages).toHaveLength(1)
    expect(faultOf(pages)).toBeNull()
  })

  it('is partial if the log was longer at its first page', async () => {
    const part = { size: 3, root: rootOf(log.slice(0, 3)) }
    expect(faultOf(await exportOf(log.slice(0, 3), 3, { ...part, length: 7 }))).toEqual({
      reason: 'incomplete',
      seq: 0,
    })
    expect(faultOf(await exportOf(log.slice(0, 2), 3, part))).toEqual({ reason: 'incomplete', seq: 2 })
  })

  it('is not complete before its first page', () => {
    expect(new ExportVerifier().end()).toEqual({ reason: 'incomplete', seq: 0 })
  })

  it.each([
    ['cut short by its last entry', log.slice(0, -1), { reason: 'incomplete', seq: 6 }],
    ['empty', [], { reason: 'incomplete', seq: 0 }],
    ['without an entry in the middle', log.filter(({ seq }) => seq !== 2), { reason: 'gap', seq: 3 }],
    ['without its first entry', log.slice(1), { reason: 'gap', seq: 1 }],
    ['in another order', [at(0), at(2), at(1), ...log.slice(3)], { reason: 'gap', seq: 2 }],
    ['with an entry twice', [at(0), at(0), ...log.slice(1)], { reason: 'gap', seq: 0 }],
    ['with an entry too many', [...log, { ...versionEntry(two), seq: 7 }], { reason: 'incomplete', seq: 8 }],
    [
      'without an entry, the later ones moved up',
      logOf(log.filter(({ seq }) => seq !== 2)),
      { reason: 'incomplete', seq: 6 },
    ],
    [
      'with two entries that have changed places',
      logOf([at(5), ...log.slice(1, 5), at(0), at(6)]),
      { reason: 'root', seq: 7 },
    ],
    [
      'with an entry repeated in the place of another',
      logOf([...log.slice(0, 5), at(0), at(6)]),
      { reason: 'root', seq: 7 },
    ],
    ['with another time', put(0, { acceptedAt: NOW + 1 }), { reason: 'root', seq: 7 }],
    ['with another number of a version', put(3, { version: 1 }), { reason: 'root', seq: 7 }],
    ['with another hash of an attachment', put(2, { recordHash: 'b8'.repeat(48) }), { reason: 'root', seq: 7 }],
    ['with another name of an attachment', put(2, { attachmentId: 'a9' }), { reason: 'root', seq: 7 }],
    [
      'with a version passed off as a tombstone',
      put(5, { ...tombstoneEntry('two'), seq: 5 }),
      { reason: 'root', seq: 7 },
    ],
    ['with a version left out as erased', put(5, erased(at(5))), { reason: 'erased', seq: 5 }],
    ['with an attachment left out as erased', put(2, erased(at(2))), { reason: 'erased', seq: 2 }],
  ])('is not valid %s', async (_, entries, fault) => {
    expect(faultOf(await exportOf(entries, 3, TRUTH))).toEqual(fault)
  })

  it.each([
    ['without its record', { record: null }, 'record'],
    ['with the record of another', { record: at(5).record }, 'record'],
    ['with another version of it', { record: at(3).record, ciphertextB64u: at(3).ciphertextB64u }, 'record'],
    ['without its ciphertext', { ciphertextB64u: null }, 'ciphertext'],
    ['with the ciphertext of another', { ciphertextB64u: at(5).ciphertextB64u }, 'ciphertext'],
    ['with another length', { bytes: 65 }, 'ciphertext'],
    ['without a length', { bytes: null }, 'ciphertext'],
    ['with a ciphertext that is not base64url', { ciphertextB64u: '!' }, 'ciphertext'],
    ['with an empty ciphertext', { ciphertextB64u: '', bytes: 0 }, 'ciphertext'],
  ])('is not valid with a version %s', async (_, members, reason) => {
    expect(faultOf(await exportOf(put(0, members), 7, TRUTH))).toEqual({ reason, seq: 0 })
  })

  it('is not valid with a changed record, regardless of its leaf', async () => {
    const { record } = at(0)
    const statement = { ...record!.statement, header: { ...record!.statement.header, deviceId: 'other' } }
    const changed = versionEntry({ ...one, statement })
    expect(faultOf(await exportOf(logOf([changed])))).toEqual({ reason: 'record', seq: 0 })
  })

  it('is not valid with a note of another id or identity, regardless of its leaf', async () => {
    const renamed = { ...versionEntry(one), noteId: 'two' }
    expect(faultOf(await exportOf(logOf([renamed])))).toEqual({ reason: 'record', seq: 0 })
    const foreign = versionEntry(await noteOf('one', 1, { did: service.did }))
    expect(faultOf(await exportOf(logOf([foreign])))).toEqual({ reason: 'record', seq: 0 })
  })

  it.each([{ attachmentId: null }, { bytes: null }, { recordHash: null }])(
    'is not valid with an attachment of %j',
    async (members) => {
      const entries = logOf([at(0), { ...attachmentEntry('one', 'a1'), ...members }])
      expect(faultOf(await exportOf(entries))).toEqual({ reason: 'record', seq: 1 })
    },
  )
})

describe('an erased entry', () => {
  const version = erased(versionEntry(gone))
  const tombstone = tombstoneEntry('gone')

  it.each([
    ['no tombstone', [version], 0],
    ['that of another note', [version, tombstoneEntry('other')], 0],
    ['one that came before', [tombstone, version], 1],
    ['one, and is there again', [version, tombstone, version], 2],
  ])('is not explained by %s', async (_, entries, seq) => {
    expect(faultOf(await exportOf(logOf(entries), 1))).toEqual({ reason: 'erased', seq })
  })

  it('is explained by a tombstone on a later page', async () => {
    expect(faultOf(await exportOf(logOf([version, versionEntry(one), tombstone]), 1))).toBeNull()
  })

  it('is reported at the first unexplained position', async () => {
    const entries = logOf([
      versionEntry(one),
      version,
      erased(versionEntry(two)),
      erased(attachmentEntry('two', 'a')),
      tombstone,
    ])
    expect(faultOf(await exportOf(entries, 2))).toEqual({ reason: 'erased', seq: 2 })
  })
})

describe('pages of one export', () => {
  it.each([
    ['size', { size: 8 }],
    ['root', { root: 'a7'.repeat(48) }],
    ['identity', { did: service.did }],
  ])('have one %s', async (_, manifest) => {
    const [first] = await exportOf(log, 4)
    const [, second] = await exportOf(log, 4, manifest)
    expect(faultOf([first!, second!])).toEqual({ reason: 'another_export', seq: 4 })
  })

  it('may be signed at different times', async () => {
    const [first] = await exportOf(log, 4)
    const [, second] = await exportOf(log, 4, { issuedAt: NOW + 1 })
    expect(faultOf([first!, second!])).toBeNull()
  })

  it('are not valid out of order', async () => {
    const [first, second] = await exportOf(log, 4)
    expect(faultOf([second!, first!])).toEqual({ reason: 'gap', seq: 4 })
    expect(faultOf([first!, first!])).toEqual({ reason: 'gap', seq: 0 })
    expect(faultOf([first!])).toEqual({ reason: 'incomplete', seq: 4 })
  })
})

describe('a leaf', () => {
  it('covers every member of its entry and nothing else', () => {
    const change = changeOf(at(0))
    const leaf = toHex(changeLeaf(change))
    const others = [
      { seq: 1 },
      { noteId: 'x' },
      { kind: 'tombstone' as const },
      { version: 2 },
      { attachmentId: 'a' },
      { recordHash: null },
      { acceptedAt: 1 },
    ].map((members) => toHex(changeLeaf({ ...change, ...members })))
    expect(new Set([leaf, ...others]).size).toBe(8)
    expect(Object.keys(change)).toHaveLength(7)
    expect(rootOf([at(0)])).toBe(toHex(merkleRoot([changeLeaf(change)])))
  })
})
