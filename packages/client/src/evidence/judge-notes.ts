import * as z from 'zod'
import { hashHexAsync } from '#protocol/base/hash'
import { didSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import { attestDeviceSchema } from '#protocol/devices/inception'
import { type ExportFault, ExportVerifier, type NoteExport, noteExportSchema } from '#protocol/notes/log'
import { verifyServiceStatement } from '../statements/verify-service-statement.ts'
import { readBytesOf } from '../verification/read-bytes.ts'
import { unverified } from '../verification/verification-error.ts'
import { formed, notFormed } from './form.ts'
import { expectedRealms, type Means, serviceKeysOf } from './means.ts'
import { noteKeysOf, noteSigningOf, verifyRecords } from './note-records.ts'
import { checked, type Need, signerChecks, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const linesSchema = /* @__PURE__ */ pure(() => z.array(z.string()))
const headSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ format: z.literal('svc/note-archive/v1'), did: didSchema }),
)
const pieceSchema = /* @__PURE__ */ pure(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('devices'), attestations: z.array(attestDeviceSchema) }),
    z.strictObject({ kind: z.literal('page'), page: noteExportSchema }),
    z.strictObject({ kind: z.literal('attachment'), cipherHash: z.string(), sealedB64u: z.string() }),
  ]),
)

/**
 * Judges an export of notes by the lines of its file. Verifies that the log of the vault is complete, that a key of the
 * identity signed each ciphertext before the key ended, and that the service signed the state of the log. Does not
 * decrypt the notes.
 */
export async function judgeNotes(value: unknown, means: Means): Promise<Verdict> {
  const [head, ...pieces] = formed(linesSchema, value).map(lineOf)
  const { did } = formed(headSchema, head)
  if (means.expectedDid !== null && means.expectedDid !== did)
    throw unverified('vault', 'wrong_identity', 'The export belongs to another identity')
  const realms = expectedRealms(means)
  if (!realms) return verdictOf('notes', did, [unchecked('archive')], { needs: 'realm' })
  const read = pieces.map((piece) => formed(pieceSchema, piece))
  const pages = read.flatMap((piece) => (piece.kind === 'page' ? piece.page : []))
  const attachments = new Map(
    read.flatMap((one) => (one.kind === 'attachment' ? [[one.cipherHash, one.sealedB64u]] : [])),
  )
  const manifest = verifyPages(pages, did)
  await verifyAttachments(pages, attachments)
  const entries = pages.flatMap((page) => page.entries)
  const versions = entries.flatMap(({ record }) => record ?? [])
  const attested = read.flatMap((piece) => (piece.kind === 'devices' ? piece.attestations : []))
  const roots = means.client ? await means.client.keyHistory.of(did) : null
  const keys = await noteKeysOf(did, attested, realms, roots)
  const unknown = await verifyRecords(versions, keys, realms)
  if (unknown > 0 && means.client)
    throw unverified('note', 'wrong_owner', 'A note was signed by a key that never belonged to this identity')
  const serviceKeys = serviceKeysOf(means)
  if (serviceKeys) await verifyServiceStatement(manifest, serviceKeys, realms)
  const { size, root, issuedAt: at, realm } = manifest.statement
  const signing = noteSigningOf(entries, roots, serviceKeys && means.client?.realm === realm ? realm : null)
  const found = { versions: versions.length, attachments: attachments.size }
  const checks = [
    checked('archive', { size }),
    unknown > 0 ? unchecked('record_keys', { count: unknown }) : checked('records', found),
    serviceKeys ? checked('manifest', { at }) : unchecked('service_key'),
    ...signerChecks(signing),
    unchecked('sealed', { as: 'notes' }),
  ]
  const needs: Need | null = unknown > 0 ? 'key_history' : serviceKeys ? null : 'service_key'
  return verdictOf('notes', did, checks, { needs, subject: root, at, ...signing })
}

/** A file that was cut ends within a line. */
function lineOf(line: string, index: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw notFormed(`${index}`)
  }
}

/** Returns the manifest, whose signature the caller verifies. */
function verifyPages(pages: readonly NoteExport[], did: string): NoteExport['manifest'] {
  const [first] = pages
  const verifier = new ExportVerifier()
  for (const page of pages) refuse(verifier.next(page))
  refuse(verifier.end())
  if (!first) throw unverified('vault', 'empty', 'The export has no pages')
  if (first.manifest.statement.did !== did)
    throw unverified('vault', 'wrong_identity', 'The export belongs to another identity', { evidence: first.manifest })
  return first.manifest
}

function refuse(fault: ExportFault | null): void {
  if (fault)
    throw unverified('vault', fault.reason, `The export is invalid: ${fault.reason} at ${fault.seq}`, {
      where: { sequence: fault.seq },
    })
}

async function verifyAttachments(
  pages: readonly NoteExport[],
  attachments: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [hash, sealed] of attachments)
    if ((await hashHexAsync(readBytesOf('vault', 'sealedB64u', sealed))) !== hash)
      throw unverified('vault', 'ciphertext', 'An attachment does not match the log')
  for (const { kind, isErased, recordHash, seq } of pages.flatMap(({ entries }) => entries))
    if (kind === 'attachment' && !isErased && !attachments.has(recordHash ?? ''))
      throw unverified('vault', 'left_out', 'The archive lacks attachments that it names', { where: { sequence: seq } })
}
