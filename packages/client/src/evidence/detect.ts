/**
 * Finds out what something is. Pure: the content decides, names and endings of files do not.
 *
 * @module
 */
export type Kind =
  | 'did'
  | 'hash'
  | 'page'
  | 'chain'
  | 'keys'
  | 'anchor'
  | 'stamp'
  | 'proof'
  | 'capsule'
  | 'asset'
  | 'message'
  | 'checkpoints'
  | 'receipt'
  | 'export'
  | 'content'

export interface Detected {
  readonly kind: Kind
  /** The parsed JSON; of `checkpoints` always a list; the text of a DID, a hash, an address or the id of an anchor. */
  readonly value: unknown
}

const DID = /^did:svc:[A-Za-z0-9_-]{32}$/
const HASH = /^[0-9a-f]{96}$/
const ANCHOR_ID = /^[A-Za-z0-9_-]{32}$/

/** Formats that name themselves. */
const FORMATS: Readonly<Record<string, Kind>> = {
  'svc/anchor-bundle/v1': 'anchor',
  'svc/anchor-pending/v1': 'stamp',
  'svc-proof-bundle/1': 'proof',
  'svc/identity-export/v1': 'export',
}

/** Statements that are verified by themselves. */
const STATEMENTS: Readonly<Record<string, Kind>> = {
  'svc/message/v1': 'message',
  'svc/anchor-checkpoint/v1': 'checkpoints',
  'svc/transparency-checkpoint/v1': 'checkpoints',
  'svc/note-deletion/v1': 'receipt',
  'svc/note-manifest/v1': 'receipt',
  'svc/prekey-reservation/v1': 'receipt',
  'svc/quota-receipt/v1': 'receipt',
  'svc/resolution/v1': 'receipt',
}

/** A DID, a hash, the id of an anchor or the address of a page that was typed; null for everything else. */
export function detectTyped(text: string): Detected | null {
  if (DID.test(text)) return { kind: 'did', value: text }
  if (HASH.test(text)) return { kind: 'hash', value: text }
  if (ANCHOR_ID.test(text)) return { kind: 'anchor', value: text }
  return isAddress(text) ? { kind: 'page', value: text } : null
}

/** As consent takes them: 16 to 256 characters. */
function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && text.length >= 16 && text.length <= 256 && URL.canParse(text)
}

/** What a file has in it. What is nothing else is content, whose registration can be looked for. */
export function detectFile(bytes: Uint8Array): Detected {
  const value = jsonOf(bytes)
  return detectTyped(typeof value === 'string' ? value : '') ?? detectJson(value) ?? { kind: 'content', value: null }
}

function detectJson(value: unknown): Detected | null {
  if (Array.isArray(value)) return detectList(value)
  if (!isRecord(value)) return null
  const { format, statement, record, transfers, blocks, keys, success, data, capsule, signature } = value
  // An answer of a service as it came.
  if (success === true && isRecord(data)) return detectJson(data)
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return made(FORMATS[format], value)
  if (isRecord(statement)) return detectStatement(statement, value)
  if (isRecord(record) && isRecord(record['asset']) && Array.isArray(transfers)) return made('asset', value)
  if (isRecord(capsule) && isRecord(signature)) return made('capsule', value)
  if (Array.isArray(blocks)) return detectList(blocks)
  if (Array.isArray(keys)) return detectList(keys)
  if (isBlock(value)) return made('chain', [value])
  // A pair that somebody has named, and what an auditor or a reader of a log keeps.
  const { earlier, later, checkpoint, cosignatures, frontier } = value
  if (isRecord(checkpoint) && (Array.isArray(cosignatures) || Array.isArray(frontier))) return detectList([checkpoint])
  return isRecord(earlier) && isRecord(later) ? detectList([earlier, later]) : null
}

function detectStatement({ type }: Record<string, unknown>, value: object): Detected | null {
  const kind = typeof type === 'string' && Object.hasOwn(STATEMENTS, type) ? STATEMENTS[type] : undefined
  return kind === 'checkpoints' ? made(kind, [value]) : made(kind, value)
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

function made(kind: Kind | undefined, value: unknown): Detected | null {
  return kind === undefined ? null : { kind, value }
}

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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes).trim()
    return detectTyped(text) ? text : (JSON.parse(text) as unknown)
  } catch {
    return null
  }
}
