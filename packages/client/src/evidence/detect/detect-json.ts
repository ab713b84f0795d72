import { draftOf } from './drafts.ts'
import { type Detected, type Kind, kindOfFormat, kindOfStatement } from './formats.ts'
import { sealedAs } from './sealed.ts'

type Members = Readonly<Record<string, unknown>>

/** What a JSON value is; null for one that is nothing known. */
export function detectJson(value: unknown): Detected | null {
  if (Array.isArray(value)) return detectList(value)
  if (!isRecord(value)) return null
  const { format, type, statement, blocks, keys, success, data } = value
  // An answer of a service as it came.
  if (success === true && isRecord(data)) return detectJson(data)
  const kind = kindOfFormat(format)
  if (kind) return made(kind, value)
  const sealed = sealedAs(format ?? type, value)
  if (sealed) return made('sealed', sealed)
  if (isRecord(statement)) return detectStatement(statement, value)
  const draft = draftOf(value)
  if (draft) return made('draft', draft)
  const shape = kindOfShape(value)
  if (shape) return made(shape, value)
  if (Array.isArray(blocks)) return detectList(blocks)
  if (Array.isArray(keys)) return detectList(keys)
  if (isBlock(value)) return made('chain', [value])
  return detectCheckpoints(value)
}

/** What has no name, and is known by its members. */
function kindOfShape({ record, transfers, capsule, signature, commitment, saltB64u }: Members): Kind | null {
  if (isRecord(record) && isRecord(record['asset']) && Array.isArray(transfers)) return 'asset'
  if (isRecord(capsule) && isRecord(signature)) return 'capsule'
  return isRecord(commitment) && typeof saltB64u === 'string' ? 'commitment' : null
}

/** A pair that somebody has named, and what an auditor or a reader of a log keeps. */
function detectCheckpoints({ earlier, later, checkpoint, cosignatures, frontier }: Members): Detected | null {
  if (isRecord(checkpoint) && (Array.isArray(cosignatures) || Array.isArray(frontier))) return detectList([checkpoint])
  return isRecord(earlier) && isRecord(later) ? detectList([earlier, later]) : null
}

function detectStatement({ type }: Members, value: object): Detected | null {
  const kind = kindOfStatement(type)
  if (!kind) return null
  return made(kind, kind === 'checkpoints' ? [value] : value)
}

function detectList(list: readonly unknown[]): Detected | null {
  if (list.length === 0) return null
  if (list.every((one) => isBlock(one) || (isRecord(one) && isBlock(one['block']))))
    return made('chain', list.map(blockOf))
  if (list.every(isRootKey)) return made('keys', list)
  return list.every((one) => isRecord(one) && detectJson(one)?.kind === 'checkpoints')
    ? made('checkpoints', list)
    : null
}

const made = (kind: Kind, value: unknown): Detected => ({ kind, value })

function isBlock(value: unknown): boolean {
  return isRecord(value) && typeof value['previousHash'] === 'string' && typeof value['ownerPublicKey'] === 'string'
}

/** Core answers a block beside its payload. */
function blockOf(value: unknown): unknown {
  return isRecord(value) && isBlock(value['block']) ? value['block'] : value
}

function isRootKey(value: unknown): boolean {
  return isRecord(value) && typeof value['epoch'] === 'number' && 'request' in value && 'publicKeyB64u' in value
}

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
