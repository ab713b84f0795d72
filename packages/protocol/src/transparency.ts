/**
 * The transparency log of the key directory (document 2 section 4.4): every credential and every revocation is a leaf,
 * prekeys never are. A leaf names its statement by hash, so whoever holds the statement computes the leaf.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from './base64url.ts'
import { deviceIdSchema } from './device.ts'
import { fromHex, hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, signatureSchema, userIdOfKey, userIdSchema } from './identity.ts'
import { jcs } from './jcs.ts'
import { leafHash, verifyInclusion } from './merkle.ts'
import { signedSchema, statementSchema, verifyStatement } from './statement.ts'

export const LEAF_KINDS = ['credential', 'revocation'] as const
export const directoryLeafSchema = z
  .strictObject({
    kind: z.enum(LEAF_KINDS),
    did: didSchema,
    deviceId: deviceIdSchema,
    statementHash: hashSchema.meta({ description: 'SHA3-384 over JCS of the statement; names the leaf' }),
  })
  .meta({ id: 'DirectoryLeaf', description: 'What a leaf of the log hashes: JCS of this object' })
export type DirectoryLeaf = z.infer<typeof directoryLeafSchema>

/** The data of a leaf. */
export function leafEntry({ kind, did, deviceId, statementHash }: DirectoryLeaf): string {
  return jcs({ kind, did, deviceId, statementHash })
}

const encoder = new TextEncoder()
export function directoryLeafHash(entry: string): Uint8Array {
  return leafHash(encoder.encode(entry))
}

const head = {
  log: z.string().meta({ description: 'Origin of the directory that keeps the log' }),
  size: z.int().min(0),
  root: hashSchema,
}
export const directoryCheckpointSchema = statementSchema('svc/transparency-checkpoint/v1', head).meta({
  id: 'DirectoryCheckpoint',
  description: 'What the log was when it was signed',
})
export const signedDirectoryCheckpointSchema = z
  .strictObject({ ...signedSchema(directoryCheckpointSchema).shape, publicKeyB64u: publicKeySchema })
  .meta({ id: 'SignedDirectoryCheckpoint', description: 'Signed by the key of the directory, which it carries' })
export type DirectoryCheckpoint = z.infer<typeof signedDirectoryCheckpointSchema>

export const cosignatureSchema = statementSchema('svc/transparency-cosignature/v1', {
  ...head,
  size: z.int().min(1),
  witness: userIdSchema.meta({ description: 'The userId of the witness key' }),
}).meta({
  id: 'Cosignature',
  description: 'A witness has seen this state of the log, and that it extends every state it had seen before',
})
export const signedCosignatureSchema = z
  .strictObject({ statement: cosignatureSchema, signatureB64u: signatureSchema, publicKeyB64u: publicKeySchema })
  .meta({ id: 'SignedCosignature' })
export type SignedCosignature = z.infer<typeof signedCosignatureSchema>

/** 2^64 leaves are never reached; a longer path proves nothing. */
const path = z.array(hashSchema).max(64)
export const checkpointAnswerSchema = z
  .strictObject({
    checkpoint: signedDirectoryCheckpointSchema,
    cosignatures: z.array(signedCosignatureSchema).meta({ description: 'The newest of each witness' }),
  })
  .meta({ id: 'CheckpointAnswer' })
export type CheckpointAnswer = z.infer<typeof checkpointAnswerSchema>
export const inclusionAnswerSchema = z
  .strictObject({
    leafId: hashSchema,
    index: z.int().min(0),
    proof: path.meta({ description: 'Audit path, lowest sibling first (RFC 9162 section 2.1.3)' }),
    checkpoint: signedDirectoryCheckpointSchema,
  })
  .meta({ id: 'InclusionAnswer' })
export type InclusionAnswer = z.infer<typeof inclusionAnswerSchema>
export const auditAnswerSchema = z
  .strictObject({
    first: z.int().min(1),
    second: z.int().min(1),
    proof: path.meta({ description: 'RFC 9162 section 2.1.4: the first tree is a prefix of the second' }),
    checkpoint: signedDirectoryCheckpointSchema.meta({
      description: 'The log as it is; of size `second` unless named',
    }),
  })
  .meta({ id: 'AuditAnswer' })
export type AuditAnswer = z.infer<typeof auditAnswerSchema>

export const entriesAnswerSchema = z
  .strictObject({
    from: z.int().min(0).meta({ description: 'The index of the first entry: 256 times that of the bundle' }),
    entries: z.array(directoryLeafSchema).max(256),
    size: z.int().min(0).meta({ description: 'Leaves of the log when it was read' }),
  })
  .meta({ id: 'LogEntries', description: 'What the leaves hash, in their order' })

/** Whether a statement is in the log of a checkpoint that `expectedKeyB64u`, known from elsewhere, has signed. */
export async function verifyLeaf(
  leaf: DirectoryLeaf,
  { leafId, index, proof, checkpoint }: InclusionAnswer,
  expectedKeyB64u: string,
): Promise<boolean> {
  if (leafId !== leaf.statementHash || !(await verifyCheckpoint(checkpoint, expectedKeyB64u))) return false
  const { size, root } = checkpoint.statement
  return verifyInclusion(directoryLeafHash(leafEntry(leaf)), index, size, proof.map(fromHex), fromHex(root))
}

export async function verifyCheckpoint(
  { publicKeyB64u, ...signed }: DirectoryCheckpoint,
  expectedKeyB64u: string,
): Promise<boolean> {
  return publicKeyB64u === expectedKeyB64u && verifyStatement(signed, bytesOf(expectedKeyB64u))
}

/** Whether the key that a cosignature carries has made it. Whether that key is a witness the reader knows. */
export async function verifyCosignature({ publicKeyB64u, ...signed }: SignedCosignature): Promise<boolean> {
  return signed.statement.witness === userIdOfKey(publicKeyB64u) && verifyStatement(signed, bytesOf(publicKeyB64u))
}
