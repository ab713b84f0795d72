/**
 * What names itself: by its `format`, or by the `type` of what was signed.
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
  | 'commitment'
  | 'asset'
  | 'message'
  | 'checkpoints'
  | 'receipt'
  | 'export'
  | 'notes'
  | 'sealed'
  | 'statement'
  | 'draft'
  | 'beacon'
  | 'content'

export interface Detected {
  readonly kind: Kind
  /**
   * The parsed JSON; of `checkpoints` always a list, of `sealed` and `draft` what it is beside it, of `notes` the lines of the file;
   * the text of a beacon, a DID, a hash, an address or the id of an anchor.
   */
  readonly value: unknown
}

const FORMATS: Readonly<Record<string, Kind>> = {
  'svc/anchor-bundle/v1': 'anchor',
  'svc/anchor-bundle/v2': 'anchor',
  'svc/anchor-stamp/v1': 'stamp',
  'svc/commitment-opening/v1': 'commitment',
  'svc-proof-bundle/1': 'proof',
  'svc/org-accepted/v1': 'statement',
  'svc/org-joined/v1': 'statement',
  'svc/identity-export/v1': 'export',
}

/** Statements that are verified by themselves. */
const STATEMENTS: Readonly<Record<string, Kind>> = {
  'svc/message/v1': 'message',
  'svc/rotation-request/v1': 'statement',
  'svc/anchor-checkpoint/v1': 'checkpoints',
  'svc/transparency-checkpoint/v1': 'checkpoints',
  'svc/note-deletion/v1': 'receipt',
  'svc/note-manifest/v1': 'receipt',
  'svc/prekey-reservation/v1': 'receipt',
  'svc/quota-receipt/v1': 'receipt',
  'svc/resolution/v1': 'receipt',
}

export const kindOfFormat = (format: unknown): Kind | null => named(FORMATS, format)
export const kindOfStatement = (type: unknown): Kind | null => named(STATEMENTS, type)

function named(table: Readonly<Record<string, Kind>>, name: unknown): Kind | null {
  return typeof name === 'string' && Object.hasOwn(table, name) ? (table[name] ?? null) : null
}
